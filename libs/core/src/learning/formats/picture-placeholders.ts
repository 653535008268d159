/** Words that trainers replace with media. A page may contain them. */
const MEDIA_WORDS = ['image', 'video', 'audio', 'bbox', 'ref-object'];

/** Placeholder of a picture in texts. */
export const PICTURE_PLACEHOLDER = '<image>';

/** Changes placeholders in a text of a page, so that a line has exactly one placeholder per picture. */
export const withoutPlaceholders = (text: string): string =>
  MEDIA_WORDS.reduce((result, word) => result.replaceAll(`<${word}>`, `< ${word} >`), text);
