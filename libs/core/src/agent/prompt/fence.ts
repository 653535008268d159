/** What a site says, between marks that it cannot know. */
export const fenceUntrusted = (what: string, text: string, mark: string): string =>
  `<<<${what} ${mark}\n${text.replaceAll(mark, '')}\n>>>${what} ${mark}`;
