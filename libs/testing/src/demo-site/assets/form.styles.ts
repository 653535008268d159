/** Fields, choices, alerts, the dialog, the search with its suggestions. */
export const FORM_STYLES = `
.stack { display: grid; gap: 1.1rem; align-content: start; }
.row { display: flex; flex-wrap: wrap; gap: 1.1rem; }
.row .field { flex: 0 1 180px; }
.row .grow { flex: 1 1 260px; }
.field { display: grid; gap: .35rem; align-content: start; min-width: 0; }
label, .label { font-weight: 600; font-size: .9063rem; }
input, select, textarea {
  width: 100%; font: inherit; color: inherit; background: #fff; border: 1px solid #b6c6d5; border-radius: 9px; padding: .58rem .75rem; min-height: 44px;
}
input:hover, select:hover, textarea:hover { border-color: #7f97ad; }
input:focus-visible, select:focus-visible, textarea:focus-visible { outline: 3px solid rgb(13 148 136 / .25); outline-offset: 0; border-color: var(--teal); border-radius: 9px; }
textarea { resize: vertical; }
input[type=checkbox], input[type=radio] { width: 18px; height: 18px; min-height: 0; margin: 0; accent-color: var(--teal-dark); flex: none; }
input[type=range] { padding: 0; min-height: 24px; accent-color: var(--teal-dark); }
input[type=color] { padding: .2rem; width: 72px; }
input[type=file] { background: #f7fafc; border-style: dashed; padding: .5rem; font-size: .875rem; }
input[type=file]::file-selector-button { font: 600 .875rem var(--sans); border: 1px solid #bccbd9; border-radius: 7px; background: #fff; padding: .35rem .8rem; margin-right: .8rem; color: var(--navy); cursor: pointer; }
[aria-invalid=true] { border-color: var(--red); background: #fffafa; }
.error { margin: 0; font-size: .875rem; color: var(--red); }
.error:empty { display: none; }
.alert { background: var(--red-soft); color: var(--red); border: 1px solid #f5c6c2; border-radius: 9px; padding: .7rem 1rem; margin: 0 0 1rem; font-size: .9375rem; }
.check { display: inline-flex; align-items: center; gap: .6rem; font-weight: 400; font-size: .9375rem; cursor: pointer; }

.form-card { display: grid; gap: 1.75rem; padding: 2rem; }
fieldset { border: 0; border-bottom: 1px solid var(--line); margin: 0; padding: 0 0 1.75rem; display: grid; gap: 1.1rem; min-width: 0; }
legend { padding: 0; margin-bottom: 1rem; font-weight: 700; font-size: 1.0625rem; color: var(--navy); }
fieldset.plain { border: 0; padding: 0; gap: .5rem; }
fieldset.plain legend { font-size: .9063rem; margin-bottom: .35rem; }
.choices { display: grid; grid-template-columns: repeat(3, 1fr); gap: .75rem; }
.choice { display: flex; align-items: flex-start; gap: .65rem; border: 1px solid #b6c6d5; border-radius: 11px; padding: .85rem; cursor: pointer; font-weight: 400; }
.choice:has(:checked) { border-color: var(--teal); background: var(--teal-soft); box-shadow: inset 0 0 0 1px var(--teal); }
.choice:has(:focus-visible) { outline: 3px solid rgb(13 148 136 / .25); }
.choice input { margin-top: .15rem; }
.choice span { display: grid; flex: 1; }
.choice em { font-style: normal; font-size: .875rem; color: var(--muted); white-space: nowrap; }

dialog { border: 0; border-radius: 16px; padding: 1.75rem; width: min(440px, calc(100vw - 2rem)); color: inherit; box-shadow: 0 24px 64px -16px rgb(11 37 64 / .5); }
dialog::backdrop { background: rgb(11 37 64 / .55); backdrop-filter: blur(2px); }
dialog .actions { margin-top: 1.5rem; }

.login { max-width: 400px; margin: 2rem auto; padding: 2.25rem; text-align: center; }
.login form { text-align: left; margin-top: 1.5rem; }
.login p { margin: .25rem 0 0; }
.login .hint { margin-top: 1.5rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
.login-mark svg { width: 52px; height: 52px; margin-bottom: .75rem; }
.login .alert { margin: 1.25rem 0 -.25rem; text-align: left; }

.search { display: flex; gap: .75rem; align-items: center; margin-bottom: 1.5rem; }
.combo { position: relative; flex: 1; max-width: 560px; }
.combo [role=listbox] {
  position: absolute; z-index: 5; left: 0; right: 0; top: calc(100% + 6px); margin: 0; padding: .35rem; list-style: none; background: #fff;
  border: 1px solid var(--line); border-radius: 12px; box-shadow: 0 18px 40px -12px rgb(11 37 64 / .35);
}
.combo [role=option] { display: flex; justify-content: space-between; gap: 1rem; padding: .5rem .7rem; border-radius: 8px; cursor: pointer; font-size: .9375rem; }
.combo [role=option]:hover { background: #f0f5f9; }
.combo [role=option][aria-selected=true] { background: var(--teal-soft); }
.combo mark { background: none; color: var(--teal-dark); font-weight: 700; }
.clear { font-size: .9375rem; }

@media (max-width: 860px) {
  .choices { grid-template-columns: 1fr; }
  .form-card { padding: 1.25rem; }
  .row .field { flex: 1 1 140px; }
  .row .grow { flex-basis: 100%; }
  .login { margin: .5rem auto; padding: 1.75rem 1.25rem; }
}
`;
