import { PRODUCTS, type Product } from './products.data.ts';

export const PAGE_SIZE = 14;

/** One page of a search. `page` is clamped into 1..pages; an empty result has one empty page. */
export interface CataloguePage {
  items: Product[];
  total: number;
  page: number;
  pages: number;
}

/** Products whose SKU, name or category contain every word of the query, in catalogue order; all for an empty query. */
export function searchProducts(query: string): Product[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return PRODUCTS.filter((product) => {
    const text = `${product.sku} ${product.name} ${product.category}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export function cataloguePage(query: string, page: number): CataloguePage {
  const matches = searchProducts(query);
  const pages = Math.max(1, Math.ceil(matches.length / PAGE_SIZE));
  const current = Math.min(Math.max(1, page), pages);
  const start = (current - 1) * PAGE_SIZE;
  return { items: matches.slice(start, start + PAGE_SIZE), total: matches.length, page: current, pages };
}

export function findProduct(sku: string): Product | undefined {
  const normalizedSku = sku.trim().toUpperCase();
  return PRODUCTS.find((product) => product.sku === normalizedSku);
}

/** Products grouped by category in catalogue order, for the order form. */
export function productsByCategory(): [category: string, products: Product[]][] {
  return [...Map.groupBy(PRODUCTS, (product) => product.category)];
}

const MONEY = new Intl.NumberFormat('en-IE', { style: 'currency', currency: 'EUR' });

/** Formats cents, e.g. 124950 → `€1,249.50`. */
export function formatMoney(cents: number): string {
  return MONEY.format(cents / 100);
}

/** Stock level as text and color of the tables. */
export function stockState(stock: number): { tone: 'good' | 'low' | 'out'; text: string } {
  if (stock === 0) return { tone: 'out', text: 'On back-order' };
  if (stock < 20) return { tone: 'low', text: 'Low stock' };
  return { tone: 'good', text: 'In stock' };
}

/** Stock by depot. The sum is `product.stock`. */
export function stockByDepot(product: Product): { depot: string; quantity: number }[] {
  const rotterdam = Math.floor(product.stock / 2);
  const hamburg = Math.floor(product.stock / 3);
  return [
    { depot: 'Rotterdam', quantity: rotterdam },
    { depot: 'Hamburg', quantity: hamburg },
    { depot: 'Piraeus', quantity: product.stock - rotterdam - hamburg },
  ];
}
