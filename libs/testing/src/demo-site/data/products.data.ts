export interface Product {
  sku: string;
  name: string;
  category: string;
  unit: string;
  /** Price of one unit in euro cents. */
  price: number;
  stock: number;
  leadDays: number;
  description: string;
}

type Row = readonly [sku: string, name: string, unit: string, price: number, stock: number, description: string];

// Fixed data, so that tests and demo runs read the same values everywhere.
const SEED: Record<string, readonly Row[]> = {
  'Ropes & lines': [
    [
      'RL-1010',
      'Mooring rope, polyester 24 mm',
      'coil of 50 m',
      18900,
      64,
      'Eight-strand polyester with low stretch and a soft eye at one end.',
    ],
    [
      'RL-1012',
      'Mooring rope, polyester 32 mm',
      'coil of 50 m',
      29650,
      38,
      'The standard head line for coasters up to 3,000 GT.',
    ],
    [
      'RL-1020',
      'Tow line, polypropylene 40 mm',
      'coil of 110 m',
      61200,
      12,
      'Floating tow line in high-visibility orange.',
    ],
    [
      'RL-1031',
      'Heaving line with monkey fist',
      'each',
      2480,
      210,
      'Thirty metres of 8 mm line with a weighted, rubber-cased fist.',
    ],
    [
      'RL-1044',
      'Flag halyard, braided 6 mm',
      'coil of 100 m',
      4350,
      96,
      'Pre-stretched halyard that does not twist in the sheave.',
    ],
    ['RL-1057', 'Chafe guard, canvas', 'pair', 3190, 0, 'Laced canvas sleeves for lines up to 48 mm.'],
  ],
  'Anchoring & mooring': [
    [
      'AM-2004',
      'Galvanised anchor chain 13 mm',
      'metre',
      1490,
      820,
      'Grade 40 short-link chain, tested and marked every 10 m.',
    ],
    ['AM-2011', 'Bow shackle, stainless 16 mm', 'each', 1875, 340, 'Captive pin, working load limit 2.0 t.'],
    ['AM-2018', 'Swivel, forged 20 mm', 'each', 5420, 47, 'Keeps chain and rode free of turns.'],
    ['AM-2025', 'Pneumatic fender 500 × 1000', 'each', 43800, 16, 'Rubber fender with end flange and chain net.'],
    ['AM-2032', 'Dock bollard, cast iron 15 t', 'each', 78500, 7, 'Tee-head bollard with base plate and anchor bolts.'],
    [
      'AM-2039',
      'Mooring buoy, foam-filled',
      'each',
      21250,
      23,
      'Unsinkable buoy with through-rod and 140 kg of buoyancy.',
    ],
  ],
  Safety: [
    [
      'SF-3001',
      'Lifejacket, SOLAS adult 150 N',
      'each',
      6990,
      180,
      'Foam lifejacket with light, whistle and buddy line.',
    ],
    ['SF-3006', 'Lifebuoy ring 2.5 kg', 'each', 4675, 92, 'Ring with reflective tape and a 30 m floating line.'],
    ['SF-3013', 'Immersion suit, insulated', 'each', 32400, 28, 'Six hours in water of 0 °C. Universal size.'],
    ['SF-3020', 'Fire extinguisher, foam 9 l', 'each', 11850, 54, 'Wheelmark approved, with bulkhead bracket.'],
    ['SF-3027', 'Parachute rocket, red', 'each', 5260, 144, 'Burns for 40 seconds at 300 m. Sold with certificate.'],
    ['SF-3034', 'First aid kit, category C', 'each', 15900, 19, 'Complete to the list for coastal trade.'],
  ],
  Navigation: [
    ['NV-4002', 'Hand bearing compass', 'each', 13450, 33, 'Night illumination without battery, 0.5° graduation.'],
    ['NV-4009', 'Marine binoculars 7 × 50', 'pair', 24900, 41, 'Waterproof, nitrogen filled, with range reticle.'],
    ['NV-4016', 'VHF handheld radio, 6 W', 'each', 18950, 75, 'Floats and flashes when it falls in. All channels.'],
    [
      'NV-4023',
      'Navigation light, LED starboard',
      'each',
      8640,
      58,
      'Two nautical miles, 112.5°, for vessels under 20 m.',
    ],
    ['NV-4030', 'Radar reflector, tri-lens', 'each', 17300, 11, 'Passive reflector with a steady return all round.'],
    ['NV-4037', 'Paper chart, North Sea south', 'sheet', 3480, 260, 'Corrected to the week of dispatch.'],
  ],
  'Deck hardware': [
    ['DH-5003', 'Roller fairlead, bronze', 'each', 26700, 9, 'Two vertical rollers on greased bronze bushes.'],
    ['DH-5010', 'Deck cleat, aluminium 300 mm', 'each', 2960, 175, 'Four-hole cleat, anodised, holds 1.4 t.'],
    ['DH-5017', 'Snatch block 8 t', 'each', 39900, 14, 'Side-opening block with swivel hook.'],
    ['DH-5024', 'Hatch gasket, neoprene', 'roll of 20 m', 12750, 36, 'Closed-cell profile, self-adhesive, 40 × 20 mm.'],
    ['DH-5031', 'Ratchet lashing 5 t', 'each', 2385, 430, 'Ten metres of webbing with twin hooks.'],
    ['DH-5038', 'Pilot ladder, 9 m', 'each', 58400, 0, 'To ISO 799 with spreaders and manropes.'],
  ],
  'Paint & maintenance': [
    ['PM-6005', 'Antifouling, copper-free 20 l', 'drum', 41900, 22, 'Self-polishing, for steel and aluminium hulls.'],
    ['PM-6012', 'Epoxy primer, grey 5 l', 'tin', 8350, 88, 'Two-component primer with four hours to recoat.'],
    ['PM-6019', 'Deck paint, non-slip green', 'tin of 5 l', 6890, 67, 'With aluminium oxide grain, for working decks.'],
    ['PM-6026', 'Marine grease, calcium', 'case of 12', 7140, 130, 'Stays on wires and hinges in salt water.'],
    ['PM-6033', 'Zinc anode, hull 2.2 kg', 'each', 2190, 315, 'Bolt-on anode with cast-in steel strap.'],
    ['PM-6040', 'Rust converter 1 l', 'bottle', 1995, 148, 'Turns light rust into a base for paint.'],
  ],
  'Galley & provisions': [
    ['GP-7001', 'Drinking water, still 1.5 l', 'pallet of 504', 24200, 18, 'Spring water, delivered to the berth.'],
    ['GP-7008', 'Coffee, whole bean', 'case of 6 kg', 8990, 112, 'Dark roast for long watches.'],
    ['GP-7015', 'Crew mug, enamel', 'box of 24', 9360, 45, 'Survives the deck. Navy rim.'],
    ['GP-7022', 'Long-life milk 1 l', 'case of 12', 1548, 390, 'Semi-skimmed, six months of shelf life.'],
    ['GP-7029', 'Galley knife set', 'set of 5', 11200, 26, 'Color-coded handles, with magnetic strip.'],
    ['GP-7036', 'Non-slip table mat', 'roll of 10 m', 2675, 84, 'Holds plates up to 20° of heel.'],
  ],
};

/** 42 products in seven categories. */
export const PRODUCTS: readonly Product[] = Object.entries(SEED).flatMap(([category, rows]) =>
  rows.map(([sku, name, unit, price, stock, description]) => {
    const leadDays = stock === 0 ? 21 : stock < 20 ? 5 : 2;
    return { sku, name, category, unit, price, stock, leadDays, description };
  }),
);
