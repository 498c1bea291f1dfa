import { can } from '@lis/contract/access/permissions.ts'
import type { FirstStep } from '@lis/contract/home.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'

/** What is missing before the first order, for those who make it. */
export const listFirstSteps = async (db: Db, { role }: Actor): Promise<FirstStep[]> => {
  if (!can(role, 'clients.write')) return []
  const { rows } = await sql<{ step: FirstStep }>`
    select step from (values
      (1, 'LABORATORY', not exists (select from lab where deleted_at is null)),
      (2, 'COLLABORATOR', not exists (select from collaborator where deleted_at is null)),
      (3, 'CLIENT', not exists (select from client where deleted_at is null)),
      (4, 'PHYSICIAN', not exists (select from physician where deleted_at is null))) x(place, step, is_missing)
    where is_missing order by place`.execute(db)
  return rows.map(({ step }) => step)
}
