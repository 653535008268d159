/** Version of the product, as the API tells it. */
export const VERSION = '0.1.0';
