import { pageScript } from '@pilothouse/surface-page-elements';

export const source = pageScript(import.meta.url);
