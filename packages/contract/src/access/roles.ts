/** Every role of the product, in the order used by matrices and tests. */
export const roles = ['ADM', 'MGMT', 'STF', 'SLS', 'BILL', 'COLA', 'CLNT', 'PHYS', 'GST'] as const
export type Role = (typeof roles)[number]

export const superAdmins = ['ADM', 'MGMT', 'STF'] as const satisfies readonly Role[]
/** Everybody but the guest. */
export const registered = [
  'ADM',
  'MGMT',
  'STF',
  'SLS',
  'BILL',
  'COLA',
  'CLNT',
  'PHYS',
] as const satisfies readonly Role[]
export const billing = ['BILL'] as const satisfies readonly Role[]

export const isRole = (value: unknown): value is Role => (roles as readonly unknown[]).includes(value)

/** Anything unknown counts as guest. */
export const roleOf = (value: unknown): Role => (isRole(value) ? value : 'GST')

/** Display name of each role, and the entity type its accounts belong to. */
export const roleTable = [
  { userRoleCode: 'ADM', userRoleDesc: 'Administrator', entityType: null },
  { userRoleCode: 'MGMT', userRoleDesc: 'Management', entityType: null },
  { userRoleCode: 'STF', userRoleDesc: 'Staff', entityType: 'LAB' },
  { userRoleCode: 'COLA', userRoleDesc: 'Collaborator', entityType: 'COLLABORATOR' },
  { userRoleCode: 'CLNT', userRoleDesc: 'Client', entityType: 'CLIENT' },
  { userRoleCode: 'PHYS', userRoleDesc: 'Physician', entityType: 'PHYSICIAN' },
  { userRoleCode: 'SLS', userRoleDesc: 'Sales', entityType: 'SALES' },
  { userRoleCode: 'BILL', userRoleDesc: 'Billing', entityType: null },
  { userRoleCode: 'GST', userRoleDesc: 'Guest', entityType: null },
] as const satisfies readonly { userRoleCode: Role; userRoleDesc: string; entityType: string | null }[]
