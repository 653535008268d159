import { pageScript } from '../page-script.ts';

export const source = pageScript(import.meta.url);
