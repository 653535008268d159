import type { Route } from './http/route.ts';
import { assetRoutes } from './assets/index.ts';
import { catalogueRoutes } from './pages/catalogue.ts';
import { contactRoutes } from './pages/contact.ts';
import { homeRoutes } from './pages/home.ts';
import { ledgerRoutes } from './pages/ledger.ts';
import { loginRoutes } from './pages/login.ts';
import { newOrderRoutes } from './pages/new-order.ts';
import { orderRoutes } from './pages/orders.ts';
import { productRoutes } from './pages/product.ts';
import { slowRoutes } from './pages/slow.ts';
import { stockRoutes } from './pages/stock.ts';
import { widgetRoutes } from './pages/widgets.ts';

/** Every address of the site. The first match wins: `/orders/new` stands before `/orders/:id`. */
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
