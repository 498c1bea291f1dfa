import type { Actor } from '../../platform/auth/actor.ts'

/** The actor in whose name results of an instrument are stored. */
export const instrumentActor = (name: string, source: string): Actor => ({
  // No account: the history and the records accept a missing user.
  userId: null as unknown as number,
  userName: '',
  name,
  role: 'STF',
  entityId: null,
  departmentIds: [],
  sessionId: '',
  scope: { role: 'STF', ids: [] },
  source,
})
