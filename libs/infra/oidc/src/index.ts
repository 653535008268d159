export {
  createOidcFlow,
  type OidcFlow,
  type OidcFlowOptions,
  type OidcUser,
  type PendingAuthorization,
} from './oidc-flow.ts';
