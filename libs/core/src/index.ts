export * from './port/context.ts';
export * from './port/surface.ts';
export * from './port/blob.ts';
