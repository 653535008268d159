/** Colors, typography, page frame, cards and buttons. */
export const BASE_STYLES = `
:root {
  --navy: #0b2540; --navy-2: #123a5c; --teal: #0d9488; --teal-dark: #0b7268; --teal-soft: #e3f4f2;
  --ink: #14283c; --muted: #5a6f84; --line: #dbe4ec; --ground: #f3f7fa; --card: #fff;
  --sand: #f5c77e; --red: #b42318; --red-soft: #fdeceb; --green: #15803d; --amber: #b45309;
  --shadow: 0 1px 2px rgb(11 37 64 / .06), 0 6px 24px -12px rgb(11 37 64 / .18);
  --sans: -apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", Arial, sans-serif;
  --mono: ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace;
}
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
html { height: 100%; }
body {
  margin: 0; min-height: 100%; display: flex; flex-direction: column; background: var(--ground); color: var(--ink);
  font: 16px/1.55 var(--sans); -webkit-font-smoothing: antialiased;
}
h1, h2 { margin: 0; line-height: 1.2; color: var(--navy); letter-spacing: -.015em; text-wrap: balance; }
h1 { font-size: 1.875rem; }
h2 { font-size: 1.1875rem; }
p { margin: .5rem 0; }
a { color: var(--teal-dark); text-underline-offset: 3px; text-decoration-thickness: 1px; }
a:hover { color: var(--navy); }
code, .code { font-family: var(--mono); font-size: .875em; }
code { background: #e8eff5; border-radius: 4px; padding: .1em .35em; white-space: nowrap; }
.code { color: var(--muted); white-space: nowrap; }
small { font-size: .8125rem; color: var(--muted); font-weight: 400; }
.muted, .hint { color: var(--muted); }
.hint { font-size: .875rem; }
.lead { font-size: 1.125rem; color: #3a5068; }
.eyebrow { font-size: .8125rem; font-weight: 700; letter-spacing: .08em; text-transform: uppercase; color: var(--teal-dark); margin: 0 0 .5rem; }
:focus-visible { outline: 3px solid rgb(13 148 136 / .45); outline-offset: 2px; border-radius: 6px; }
.sr-only { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: 1rem; top: -4rem; background: #fff; padding: .5rem 1rem; border-radius: 8px; z-index: 10; }
.skip:focus { top: 1rem; }

.top { background: var(--navy); color: #fff; }
.top-row { display: flex; align-items: center; gap: 2rem; max-width: 1200px; margin: 0 auto; padding: .75rem 2rem; min-height: 68px; }
.brand { display: flex; align-items: center; gap: .7rem; color: #fff; text-decoration: none; font-size: 1.1875rem; letter-spacing: -.01em; white-space: nowrap; }
.brand:hover { color: #fff; }
.brand svg { width: 36px; height: 36px; }
.sections { display: flex; gap: .25rem; }
.sections a { color: #c4d5e5; text-decoration: none; padding: .4rem .8rem; border-radius: 8px; font-size: .9375rem; white-space: nowrap; }
.sections a:hover { color: #fff; background: rgb(255 255 255 / .08); }
.sections a[aria-current] { color: #fff; background: rgb(255 255 255 / .13); font-weight: 600; }
.account { margin-left: auto; display: flex; align-items: center; gap: 1rem; }
.account form { margin: 0; }
.who { display: grid; line-height: 1.25; font-size: .8125rem; color: #a9c0d5; text-align: right; }
.who b { color: #fff; font-size: .875rem; font-weight: 600; }
.top .button.quiet { background: none; border-color: rgb(255 255 255 / .3); color: #fff; padding: .4rem .9rem; font-size: .875rem; }
.top .button.quiet:hover { background: rgb(255 255 255 / .1); }

.main { flex: 1; width: 100%; max-width: 1200px; margin: 0 auto; padding: 2.25rem 2rem 3.5rem; }
.main-narrow { max-width: 824px; }
.main-wide { max-width: none; padding: 0; }
.bare { background: #fff; }
.page-head { display: flex; align-items: center; justify-content: space-between; gap: 1rem; margin-bottom: 1.5rem; }
.page-head p { margin: .25rem 0 0; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; }

.card { background: var(--card); border: 1px solid var(--line); border-radius: 14px; box-shadow: var(--shadow); padding: 1.5rem; }
.card > h2:first-child { margin-bottom: .75rem; }
.notice { text-align: center; padding: 3rem 1.5rem; }

.button {
  display: inline-flex; align-items: center; justify-content: center; border: 1px solid #bccbd9; border-radius: 9px; background: #fff;
  color: var(--navy); font: 600 .9375rem/1.3 var(--sans); padding: .6rem 1.1rem; cursor: pointer; text-decoration: none; white-space: nowrap;
}
.button:hover { background: #eef4f8; color: var(--navy); }
.button.primary { background: var(--teal-dark); border-color: var(--teal-dark); color: #fff; }
.button.primary:hover { background: #095e56; }
.button.ghost { border-color: rgb(255 255 255 / .4); background: none; color: #fff; }
.button.ghost:hover { background: rgb(255 255 255 / .1); }
.button.quiet { border-color: transparent; background: none; }
.button.quiet:hover { background: #eef4f8; }
.button.block { width: 100%; padding: .75rem; }
.button:disabled { opacity: .5; cursor: default; }

.bottom { background: var(--navy); color: #a9c0d5; font-size: .875rem; }
.waves { display: block; width: 100%; height: 44px; background: var(--ground); }
.bottom-row { display: flex; flex-wrap: wrap; gap: .5rem 2rem; max-width: 1200px; margin: 0 auto; padding: .75rem 2rem 1.75rem; }
.bottom-row a { color: #a9c0d5; margin-left: auto; }
.bottom-row a:hover { color: #fff; }

@media (max-width: 860px) {
  .top-row { flex-wrap: wrap; gap: .5rem 1rem; padding: .75rem 1rem 0; }
  .top-row:not(:has(.sections)) { padding-bottom: .75rem; }
  .brand { font-size: 1.0625rem; }
  .who { display: none; }
  .sections { order: 3; width: 100%; overflow-x: auto; scrollbar-width: none; padding-bottom: .6rem; margin: 0 -.25rem; gap: 0; justify-content: space-between; }
  .sections a { padding: .4rem .6rem; }
  .main { padding: 1.5rem 1rem 2.5rem; }
  .main-wide { padding: 0; }
  h1 { font-size: 1.5rem; }
  .page-head { flex-wrap: wrap; }
  .bottom-row { padding: .5rem 1rem 1.5rem; flex-direction: column; }
  .bottom-row a { margin: 0; }
}
`;
