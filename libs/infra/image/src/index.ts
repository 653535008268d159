export { renderModelDetail, renderModelImage } from './picture.ts';
