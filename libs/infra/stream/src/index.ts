export * from './live.ts';
export * from './channels.ts';
