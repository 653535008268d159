/** Version of the product, as the API tells it. */
export const VERSION = '0.2.0';

/** Slug of the project that is always there. */
export const DEFAULT_PROJECT_SLUG = 'default';
