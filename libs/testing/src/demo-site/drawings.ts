import { trusted, type Html } from './html.ts';

/** An anchor in a rounded square. Used as the logo and as the icon of the browser tab. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40" width="40" height="40" aria-hidden="true">
<rect width="40" height="40" rx="10" fill="#0d9488"/>
<g fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round">
<circle cx="20" cy="10.5" r="3.2"/><path d="M20 13.7V31M14.5 18h11M9.5 23.5c.8 5 5 8 10.5 8s9.7-3 10.5-8M9.5 23.5l-1.8 3M9.5 23.5l3.2 1.8M30.5 23.5l1.8 3M30.5 23.5l-3.2 1.8"/>
</g></svg>`;

export function logo(): Html {
  return trusted(ICON);
}

/** The line of waves above the footer. */
export function waves(): Html {
  return trusted(`<svg class="waves" viewBox="0 0 1440 60" preserveAspectRatio="none" aria-hidden="true">
<path fill="#123a5c" opacity=".55" d="M0 34c120-30 240-30 360 0s240 30 360 0 240-30 360 0 240 30 360 0v26H0z"/>
<path fill="#0b2540" d="M0 44c90-18 180-18 270 0s180 18 270 0 180-18 270 0 180 18 270 0 180-18 360 0v16H0z"/></svg>`);
}

/** A quay at dusk: sun, crane, container ship, water. Decorative. */
export function quay(): Html {
  const boxes = [
    ['#0d9488', 0, 0],
    ['#f59e0b', 46, 0],
    ['#e2e8f0', 92, 0],
    ['#0d9488', 138, 0],
    ['#c2410c', 184, 0],
    ['#e2e8f0', 230, 0],
    ['#e2e8f0', 0, -26],
    ['#0f766e', 46, -26],
    ['#c2410c', 92, -26],
    ['#f59e0b', 138, -26],
    ['#0d9488', 184, -26],
    ['#f59e0b', 46, -52],
    ['#0d9488', 92, -52],
    ['#e2e8f0', 138, -52],
  ] as const;
  const cargo = boxes.map(
    ([fill, x, y]) => `<rect x="${222 + x}" y="${268 + y}" width="44" height="24" rx="2" fill="${fill}"/>`,
  );
  return trusted(`<svg class="quay" viewBox="0 0 640 440" aria-hidden="true">
<defs><linearGradient id="dusk" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#14466b"/><stop offset=".62" stop-color="#2f7f92"/><stop offset="1" stop-color="#f2c98a"/></linearGradient>
<linearGradient id="sea" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#17607a"/><stop offset="1" stop-color="#0a2a45"/></linearGradient>
<clipPath id="round"><rect width="640" height="440" rx="28"/></clipPath></defs>
<g clip-path="url(#round)">
<rect width="640" height="440" fill="url(#dusk)"/>
<circle cx="150" cy="296" r="62" fill="#ffe3ad"/>
<g fill="#fff" opacity=".16"><rect x="60" y="92" width="150" height="10" rx="5"/><rect x="112" y="112" width="210" height="10" rx="5"/><rect x="380" y="62" width="120" height="10" rx="5"/></g>
<g fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" opacity=".75"><path d="M84 168q10-10 18 0q8-10 18 0M150 142q8-8 14 0q6-8 14 0"/></g>
<path d="M0 330c70-26 150-30 230-18l410 0v30H0z" fill="#0f3d5a" opacity=".55"/>
<rect y="334" width="640" height="106" fill="url(#sea)"/>
<g fill="#ffe3ad" opacity=".5"><rect x="96" y="346" width="108" height="5" rx="2.5"/><rect x="118" y="360" width="70" height="5" rx="2.5"/><rect x="132" y="374" width="36" height="5" rx="2.5"/></g>
<g stroke="#0b2540" stroke-width="7" fill="none" stroke-linecap="round"><path d="M556 402V132M604 402V132M556 132h48M556 210l48-60M556 290l48-62M556 370l48-62"/><path d="M628 132H352M556 132l24-58 24 58M580 74L400 132M580 74l48 58"/></g>
<path d="M420 132v62" stroke="#0b2540" stroke-width="3"/><rect x="398" y="194" width="44" height="24" rx="2" fill="#f59e0b"/>
${cargo.join('')}
<g><rect x="176" y="214" width="40" height="78" rx="3" fill="#f8fafc"/><rect x="182" y="224" width="28" height="9" rx="2" fill="#14466b"/><rect x="182" y="242" width="28" height="5" rx="2" fill="#94a3b8"/><rect x="182" y="254" width="28" height="5" rx="2" fill="#94a3b8"/><rect x="188" y="192" width="14" height="24" fill="#c2410c"/></g>
<path d="M150 292h386l-34 62H186z" fill="#0b2540"/><path d="M164 318h358l-6 11H170z" fill="#0d9488"/>
<g fill="none" stroke="#7fd1d1" stroke-width="4" stroke-linecap="round" opacity=".6"><path d="M20 380q16-10 32 0t32 0t32 0M250 394q16-10 32 0t32 0t32 0t32 0M60 414q16-10 32 0t32 0t32 0M420 416q16-10 32 0t32 0"/></g>
<rect x="530" y="396" width="110" height="44" fill="#334e68"/><rect x="530" y="390" width="110" height="9" fill="#829ab1"/>
</g></svg>`);
}

/** One line drawing per category, 48 × 48, in the color of the surrounding text. */
const SIGNS: Record<string, string> = {
  'Ropes & lines':
    '<ellipse cx="24" cy="16" rx="14" ry="6"/><path d="M10 16v8c0 3.300 6.300 6 14 6s14-2.700 14-6v-8M10 24v8c0 3.300 6.300 6 14 6s14-2.700 14-6v-8"/><ellipse cx="24" cy="16" rx="5" ry="2"/><path d="M38 30l5 8"/>',
  'Anchoring & mooring':
    '<circle cx="24" cy="10" r="4"/><path d="M24 14v27M16 20h16M9 29c1 7 7 12 15 12s14-5 15-12M9 29l-3 5M9 29l5 3M39 29l3 5M39 29l-5 3"/>',
  Safety:
    '<circle cx="24" cy="24" r="17"/><circle cx="24" cy="24" r="7.500"/><path d="M20 17.500l-4-9M28 17.500l4-9M20 30.500l-4 9M28 30.500l4 9"/>',
  Navigation: '<circle cx="24" cy="24" r="17"/><path d="M31 17l-4 10-10 4 4-10zM24 4v5M24 39v5M4 24h5M39 24h5"/>',
  'Deck hardware':
    '<path d="M14 40h20M20 40V26M28 40V26M8 22c0-3 2-4 5-4h22c3 0 5 1 5 4s-2 4-5 4H13c-3 0-5-1-5-4zM24 18v-8M18 10h12"/>',
  'Paint & maintenance': '<rect x="9" y="7" width="27" height="10" rx="2"/><path d="M36 12h5v10H24v6M21 28h6v13h-6z"/>',
  'Galley & provisions':
    '<path d="M10 18h24v14c0 4-3 8-8 8h-8c-5 0-8-4-8-8zM34 21h3c3 0 5 2 5 5s-2 5-5 5h-3M16 6q-3 3 0 6M22 6q-3 3 0 6M28 6q-3 3 0 6"/>',
};

export function sign(category: string): Html {
  return trusted(
    `<svg class="sign" viewBox="0 0 48 48" fill="none" stroke="currentColor" stroke-width="2.200" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${SIGNS[category] ?? ''}</svg>`,
  );
}
