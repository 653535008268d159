/** Supported versions of A2UI, default first. */
export const a2uiVersions = ['0.9', '0.9.1', '0.8'] as const;
export type A2uiVersion = (typeof a2uiVersions)[number];

/** The catalogue of components that each version draws with. 0.9.1 keeps the id of 0.9. */
export const a2uiCatalogs: Readonly<Record<A2uiVersion, string>> = {
  '0.9': 'https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json',
  '0.9.1': 'https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json',
  '0.8': 'https://a2ui.org/specification/v0_8/standard_catalog_definition.json',
};
