/** Tables (lists of cards on phones) and pagination. */
export const TABLE_STYLES = `
.table-card { position: relative; padding: 0; overflow: hidden; }
.table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
.table thead th { text-align: left; font-size: .75rem; font-weight: 700; letter-spacing: .05em; text-transform: uppercase; color: var(--muted); background: #f8fafc; border-bottom: 1px solid var(--line); padding: .75rem 1.25rem; }
.table td, .table tbody th { text-align: left; padding: .72rem 1.25rem; border-bottom: 1px solid #e9eff4; font-weight: 400; }
.table tbody tr:last-child > * { border-bottom: 0; }
.table tbody tr:hover > * { background: #f6fafc; }
.table tbody th a { font-weight: 600; color: var(--navy); text-decoration: none; }
.table tbody th a:hover { color: var(--teal-dark); text-decoration: underline; }
.table .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.table .price { font-weight: 600; }
.table .category { color: var(--muted); }
.dot { display: inline-block; width: 8px; height: 8px; border-radius: 50%; margin-right: .6rem; vertical-align: 1px; background: var(--green); }
.stock-low .dot { background: #e59b1c; }
.stock-out .dot { background: var(--red); }

.pager { display: flex; align-items: center; justify-content: space-between; gap: 1rem; margin-top: 1.25rem; color: var(--muted); font-size: .9375rem; }
.pager ul { display: flex; gap: .35rem; list-style: none; margin: 0; padding: 0; }
.pager a { display: inline-block; min-width: 40px; text-align: center; padding: .45rem .75rem; border-radius: 9px; border: 1px solid var(--line); background: #fff; color: var(--navy); text-decoration: none; font-weight: 600; }
.pager a:hover { border-color: var(--teal); }
.pager a[aria-current] { background: var(--navy); border-color: var(--navy); color: #fff; }

.summary { margin: 1rem 0 0; }
.summary > div { display: flex; justify-content: space-between; gap: 1.5rem; padding: .6rem 0; border-bottom: 1px solid var(--line); }
.summary > div:last-child { border-bottom: 0; }
.summary dt { color: var(--muted); flex: none; }
.summary dd { margin: 0; text-align: right; font-weight: 600; overflow-wrap: anywhere; }
.summary .notes { white-space: pre-wrap; font-weight: 400; }
.summary .total { font-size: 1.1875rem; }

@media (max-width: 640px) {
  .table-card .table, .table-card tbody { display: block; }
  .table-card thead { position: absolute; clip-path: inset(50%); height: 1px; overflow: hidden; }
  .table-card tbody tr { display: grid; grid-template-columns: 1fr auto; gap: .1rem 1rem; padding: .85rem 1rem; border-bottom: 1px solid #e9eff4; }
  .table-card tbody tr:last-child { border-bottom: 0; }
  .table-card td, .table-card tbody th { padding: 0; border: 0; }
  .table-card tbody th { order: -2; }
  .table-card .price { order: -1; }
  .table-card .category { order: 3; grid-column: 1; font-size: .8125rem; }
  .table-card td.code { order: 1; }
  .table-card .stock { order: 2; }
  .table-card tbody td[data-label] { grid-column: 1 / -1; text-align: left; color: var(--muted); font-size: .875rem; }
  .table-card td[data-label]::before { content: attr(data-label) ": "; }
  .pager { flex-wrap: wrap; }
}
`;
