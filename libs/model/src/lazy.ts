/**
 * Makes something when it is first needed. The SDKs of the providers take half a second of a core and 40 MB to load: a house without models, or
 * with those of one provider, does without. What failed is tried again.
 */
export function lazy<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}
