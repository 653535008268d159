export { modelDetail, modelPicture } from './picture.ts';
