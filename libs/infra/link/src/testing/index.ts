export * from './build-assignment.ts';
export * from './scripted-gateway.ts';
