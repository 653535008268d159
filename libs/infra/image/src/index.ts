export { modelPicture } from './picture.ts';
