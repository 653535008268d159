export { createVault } from './vault.ts';
export type { Vault } from './vault.ts';
export { loadMasterKey } from './master-key.ts';
export type { MasterKeySource } from './master-key.ts';
export { hashToken, newToken, constantTimeEqual } from './secret-token.ts';
export { hashPassword, verifyPassword } from './password-hash.ts';
