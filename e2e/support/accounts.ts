/** The demo accounts; all share one password, and codes arrive in the demo outbox. */
export const accounts = [
  'admin',
  'management',
  'staff',
  'collaborator',
  'client',
  'physician',
  'sales',
  'billing',
] as const
export type Account = (typeof accounts)[number]
export const demoPassword = 'Demo-Password-2026!'
