import type { Route } from './site-route.ts';
import { assetRoutes } from './assets/asset-list.ts';
import { catalogueRoutes } from './pages/catalogue.page.ts';
import { contactRoutes } from './pages/contact.page.ts';
import { homeRoutes } from './pages/home.page.ts';
import { ledgerRoutes } from './pages/ledger.page.ts';
import { loginRoutes } from './pages/login.page.ts';
import { newOrderRoutes } from './pages/new-order.page.ts';
import { orderRoutes } from './pages/orders.page.ts';
import { productRoutes } from './pages/product.page.ts';
import { slowRoutes } from './pages/slow.page.ts';
import { stockRoutes } from './pages/stock.page.ts';
import { widgetRoutes } from './pages/widgets.page.ts';

/** All routes of the site. The first match wins: `/orders/new` precedes `/orders/:id`. */
export const routes: readonly Route[] = [
  ...homeRoutes,
  ...loginRoutes,
  ...catalogueRoutes,
  ...productRoutes,
  ...newOrderRoutes,
  ...orderRoutes,
  ...contactRoutes,
  ...stockRoutes,
  ...slowRoutes,
  ...widgetRoutes,
  ...ledgerRoutes,
  ...assetRoutes,
];
