/** Escapes the wildcards of LIKE. Prisma adds them around a text, but does not escape those inside. */
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
