import type { Actor } from '../../platform/auth/actor.ts'

/** In whose name results of an instrument are stored. */
export const instrumentActor = (name: string, source: string): Actor => ({
  // No account: the history and the records themselves take nobody too.
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
