/** Modules for page scripts of other packages. They need no Node. */
export { accessibleNames, type AccessibleNames } from './snapshot/accessible-names.ts';
export { ariaRoles, type AriaRoles } from './snapshot/aria-roles.ts';
export { domTree, type DomTree } from './snapshot/dom-tree.ts';
export { plain } from './snapshot/native-properties.ts';
