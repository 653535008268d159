import type { Json } from '@pilothouse/contract/primitives.schema';

const numberFormat = new Intl.NumberFormat('en', { maximumFractionDigits: 4 });

/** Value of a metric, of any kind. */
export function metricText(value: Json): string {
  if (typeof value === 'number') return numberFormat.format(value);
  if (typeof value === 'string') return value;
  if (value === null) return '—';
  return typeof value === 'boolean' ? (value ? 'Yes' : 'No') : JSON.stringify(value);
}

/** Name of a metric in words: `finalLoss` becomes `Final loss`. */
export function metricLabel(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
