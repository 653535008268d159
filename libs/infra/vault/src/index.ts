export { createVault } from './vault.ts';
export type { Vault } from './vault.ts';
export { loadMasterKey } from './master-key.ts';
export type { MasterKeySource } from './master-key.ts';
export { hashToken, newToken, sameSecret } from './token.ts';
export { hashPassword, isPassword } from './password.ts';
