/** Version of the product. */
export const VERSION = '0.2.0';

/** Slug of the project that every installation has. */
export const DEFAULT_PROJECT_SLUG = 'default';
