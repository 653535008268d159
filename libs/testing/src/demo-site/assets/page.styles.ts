/** Styles of single pages: landing, product, contact, receipt, tides. */
export const PAGE_STYLES = `
.hero { background: linear-gradient(160deg, #0b2540, #123a5c 60%, #14566e); color: #d5e3ef; display: grid; grid-template-columns: 1.05fr 1fr; gap: 4rem; align-items: center; padding: 4.5rem max(2rem, calc((100vw - 1136px) / 2)); }
.hero h1 { color: #fff; font-size: clamp(2rem, 4vw, 3.1rem); line-height: 1.1; letter-spacing: -.025em; }
.hero .eyebrow { color: #5fd3c6; }
.hero .lead { color: #c4d5e5; max-width: 34rem; margin: 1.25rem 0 1.75rem; }
.hero .button { padding: .8rem 1.5rem; }
.hero .button.primary { background: #0d9488; border-color: #0d9488; }
.quay { width: 100%; height: auto; border-radius: 22px; box-shadow: 0 30px 60px -24px rgb(0 0 0 / .6); }
.facts { display: flex; flex-wrap: wrap; gap: 2.5rem; margin: 2.25rem 0 0; }
.facts dt { font-size: .8125rem; color: #94b0c8; }
.facts dd { margin: 0; font-size: 1.5rem; font-weight: 700; color: #fff; }
.ranges { max-width: 1200px; margin: 0 auto; padding: 3rem 2rem 3.5rem; }
.ranges h2 { font-size: 1.375rem; margin-bottom: 1.25rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(250px, 1fr)); gap: 1rem; list-style: none; margin: 0; padding: 0; }
.tile { display: flex; align-items: center; gap: 1rem; background: #fff; border: 1px solid var(--line); border-radius: 14px; padding: 1.1rem 1.25rem; text-decoration: none; color: var(--navy); box-shadow: var(--shadow); height: 100%; }
.tile:hover { border-color: var(--teal); }
.tile span { display: grid; }
.sign { width: 44px; height: 44px; color: var(--teal); flex: none; }

.crumbs { font-size: .875rem; color: var(--muted); margin-bottom: 1.25rem; }
.product { display: grid; grid-template-columns: minmax(260px, 420px) 1fr; gap: 3rem; align-items: start; }
.product-sign { display: grid; place-items: center; aspect-ratio: 1; background: linear-gradient(160deg, #e3f4f2, #dbe9f3); border-color: #d2e3ea; }
.product-sign .sign { width: 52%; height: 52%; color: var(--teal-dark); }
.product-text > .code { margin: 0 0 .25rem; }
.product-price { font-size: 1.75rem; font-weight: 700; color: var(--navy); margin: 1.25rem 0 .5rem; }
.product-price small { font-size: .9375rem; }
.badge { display: inline-block; margin: 0; font-size: .8125rem; font-weight: 700; border-radius: 99px; padding: .25rem .8rem; background: #e2f4e8; color: var(--green); }
.badge-low { background: #fdf1dc; color: var(--amber); }
.badge-out { background: var(--red-soft); color: var(--red); }
.buy { display: flex; align-items: center; gap: .75rem; margin: 1.75rem 0; }
.buy input { width: 96px; }
.facts-product { border-top: 1px solid var(--line); padding-top: 1.25rem; gap: 1rem 2.5rem; }
.facts-product dt { color: var(--muted); }
.facts-product dd { color: var(--ink); font-size: 1.0625rem; }

.split { display: grid; grid-template-columns: 1fr 320px; gap: 1.5rem; align-items: start; }
.frame-card { padding-bottom: .75rem; }
.frame-card iframe { width: 100%; height: 520px; border: 0; display: block; }
.bare main { padding: 4px; }
address { font-style: normal; line-height: 1.7; }

.receipt { padding: 2.5rem; }
.receipt-mark { width: 52px; height: 52px; border-radius: 50%; background: var(--teal-soft); color: var(--teal-dark); display: grid; place-items: center; font-size: 1.5rem; font-weight: 700; margin: 0 0 1rem; }
.receipt .actions { margin-top: 1.75rem; }

.loading { display: flex; align-items: center; gap: .75rem; color: var(--muted); margin: 0 0 1.25rem; }
.spinner { width: 18px; height: 18px; border-radius: 50%; border: 3px solid #cfe0e8; border-top-color: var(--teal); animation: turn 1s linear infinite; }
@keyframes turn { to { transform: rotate(1turn); } }
.skeleton { height: 18px; border-radius: 6px; background: #e8eff4; margin-top: .9rem; }
.skeleton:nth-child(3) { width: 82%; }
.skeleton:nth-child(4) { width: 64%; }
@media (prefers-reduced-motion: reduce) { .spinner { animation: none; } }

@media (max-width: 860px) {
  .hero { grid-template-columns: 1fr; gap: 2rem; padding: 2.25rem 1rem; }
  .facts { gap: 1.5rem 2rem; }
  .ranges { padding: 2rem 1rem 2.5rem; }
  .tiles { gap: .75rem; }
  .product, .split { grid-template-columns: 1fr; gap: 1.5rem; }
  .product-sign { aspect-ratio: 2; }
  .product-sign .sign { width: auto; height: 110px; }
  .frame-card iframe { height: 540px; }
  .receipt { padding: 1.5rem 1.25rem; }
}
`;
