/** Makes a folder the place of all temporary files of this process, also of those that libraries make (`os.tmpdir()`). */
export function useTemporaryFolder(folder: string): void {
  process.env['TMPDIR'] = folder;
}
