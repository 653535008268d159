import { createHash } from 'node:crypto';
import { findProduct } from './catalogue.ts';
import type { Product } from './products.ts';
import { isSpeed, type Speed } from './speeds.ts';

export interface OrderInput {
  sku: string;
  quantity: number;
  /** ISO calendar date, e.g. `2027-03-14`. */
  date: string;
  speed: Speed;
  notes: string;
  reference: string;
}

/** `size` in bytes, `sha256` in hex: what the ledger keeps instead of the content. */
export interface UploadedFile {
  name: string;
  size: number;
  sha256: string;
}

/** The text fields of the order form exactly as they were sent; shown again when something is wrong. */
export type OrderFields = Record<(typeof FIELDS)[number], string>;

export type OrderErrors = Partial<Record<(typeof FIELDS)[number], string>>;

export type OrderCheck = { ok: true; input: OrderInput; product: Product } | { ok: false; errors: OrderErrors };

const FIELDS = ['sku', 'quantity', 'date', 'speed', 'notes', 'reference', 'terms'] as const;
const MAX_QUANTITY = 500;
const MAX_NOTES = 500;
const MAX_REFERENCE = 60;

export function readOrderFields(form: FormData): OrderFields {
  const entries = FIELDS.map((name) => {
    const value = form.get(name);
    return [name, typeof value === 'string' ? value : ''];
  });
  return Object.fromEntries(entries) as OrderFields;
}

/** Checks everything at once, so that the form can show every mistake beside its field. `now` decides what is future. */
export function checkOrder(fields: OrderFields, now: Date): OrderCheck {
  const product = findProduct(fields.sku);
  const quantity = Number(fields.quantity);
  const speed = fields.speed;
  const errors: OrderErrors = {};
  if (!product) errors.sku = 'Choose a product.';
  if (!/^\d+$/.test(fields.quantity.trim()) || quantity < 1 || quantity > MAX_QUANTITY) {
    errors.quantity = `Enter a whole number from 1 to ${MAX_QUANTITY}.`;
  }
  if (!isCalendarDate(fields.date)) errors.date = 'Enter a delivery date.';
  else if (fields.date <= now.toISOString().slice(0, 10)) errors.date = 'The delivery date must be in the future.';
  if (!isSpeed(speed)) errors.speed = 'Choose how fast we deliver.';
  if (fields.notes.length > MAX_NOTES) errors.notes = `Keep the notes under ${MAX_NOTES} characters.`;
  if (fields.reference.length > MAX_REFERENCE) errors.reference = `Keep it under ${MAX_REFERENCE} characters.`;
  if (fields.terms !== 'accepted') errors.terms = 'Accept the terms to place the order.';
  if (!product || !isSpeed(speed) || Object.keys(errors).length > 0) return { ok: false, errors };
  const { date, notes, reference } = fields;
  return { ok: true, product, input: { sku: product.sku, quantity, date, speed, notes, reference } };
}

/** The uploaded file of a field, or `null` when the visitor chose none. */
export async function readUpload(form: FormData, field: string): Promise<UploadedFile | null> {
  const value = form.get(field);
  if (!(value instanceof File) || (value.name === '' && value.size === 0)) return null;
  const content = Buffer.from(await value.arrayBuffer());
  return { name: value.name, size: content.length, sha256: createHash('sha256').update(content).digest('hex') };
}

function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  // 31 February parses as 3 March: only a date that survives the round trip exists.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
