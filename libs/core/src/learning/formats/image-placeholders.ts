/** Words that trainers replace with media. A page may contain them. */
const MEDIA_WORDS = ['image', 'video', 'audio', 'bbox', 'ref-object'];

/** Placeholder of an image in texts. */
export const IMAGE_PLACEHOLDER = '<image>';

/** Changes placeholders in a text of a page, so that a line has exactly one placeholder per image. */
export const withoutPlaceholders = (text: string): string =>
  MEDIA_WORDS.reduce((result, word) => result.replaceAll(`<${word}>`, `< ${word} >`), text);
