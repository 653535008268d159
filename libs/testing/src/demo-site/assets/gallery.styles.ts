/** The widget gallery. */
export const GALLERY_STYLES = `
.gallery { columns: 3 320px; column-gap: 1.25rem; }
.gallery > .card { break-inside: avoid; margin-bottom: 1.25rem; }
.gallery iframe { width: 100%; height: 148px; border: 1px solid var(--line); border-radius: 9px; }
.gallery > .card > p { margin: 0; }
.last-event { font-size: .9375rem; color: var(--muted); }
.last-event output { font-weight: 600; color: var(--ink); }
.rich { min-height: 72px; border: 1px solid #b6c6d5; border-radius: 9px; padding: .55rem .75rem; background: #fff; }
.switch { display: flex; align-items: center; gap: .7rem; border: 0; background: none; font: inherit; font-size: .9375rem; color: inherit; padding: 0; cursor: pointer; }
.switch::before { content: ""; width: 42px; height: 24px; border-radius: 12px; background: radial-gradient(circle at 12px 12px, #fff 8.5px, transparent 9px), #9fb2c4; }
.switch[aria-checked=true]::before { background: radial-gradient(circle at 30px 12px, #fff 8.5px, transparent 9px), var(--teal); }
.menu { position: relative; }
.menu ul { position: absolute; z-index: 4; margin: .3rem 0 0; padding: .3rem; list-style: none; background: #fff; border: 1px solid var(--line); border-radius: 10px; box-shadow: var(--shadow); min-width: 150px; }
.menu li { padding: .4rem .7rem; border-radius: 7px; cursor: pointer; }
.menu li:hover, .menu li:focus { background: var(--teal-soft); outline: none; }
[role=tablist] { display: flex; border-bottom: 1px solid var(--line); margin-bottom: .75rem; }
[role=tab] { border: 0; background: none; font: 600 .9375rem var(--sans); color: var(--muted); padding: .5rem 1rem; cursor: pointer; border-bottom: 2px solid transparent; }
[role=tab][aria-selected=true] { color: var(--navy); border-color: var(--teal); }
summary { cursor: pointer; font-weight: 600; }
.gallery .table td, .gallery .table th { padding: .45rem .5rem; }
.plain-list { margin: 0; padding-left: 1.2rem; }
progress, meter { width: 100%; height: 16px; accent-color: var(--teal); }
.scroller { height: 110px; overflow: auto; border: 1px solid var(--line); border-radius: 9px; padding: .25rem .75rem; font-size: .875rem; }
.drag { display: grid; grid-template-columns: 96px 1fr; gap: 1rem; }
#w-drag { display: grid; place-items: center; background: var(--sand); border-radius: 9px; font-weight: 600; cursor: grab; min-height: 72px; }
#w-drop { display: grid; place-items: center; border: 2px dashed #b6c6d5; border-radius: 9px; color: var(--muted); }
.hover { position: relative; width: fit-content; text-decoration: underline dotted; cursor: help; }
.hover [role=tooltip] { visibility: hidden; position: absolute; left: 0; bottom: calc(100% + 6px); background: var(--navy); color: #fff; font-size: .8125rem; padding: .35rem .7rem; border-radius: 7px; white-space: nowrap; }
.hover:hover [role=tooltip], .hover:focus [role=tooltip] { visibility: visible; }
`;
