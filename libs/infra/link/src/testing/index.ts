export * from './assignment.ts';
export * from './scripted-gateway.ts';
