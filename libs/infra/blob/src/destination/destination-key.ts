/** Key of an object in the folder of a destination. */
export const destinationKey = (folder: string | undefined, key: string): string =>
  folder === undefined ? key : `${folder}/${key}`;
