import { canAll, type Permission } from '@lis/contract/access/permissions.ts'
import type { Role } from '@lis/contract/access/roles.ts'
import type { Schedule } from '@lis/contract/schedules.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { type SavedView, savedViewOf } from '../home/pinned-views.ts'
import type { ReportDefinition } from '../report-pages/definition.ts'
import { definitions, type ReportKind } from '../report-pages/definitions.ts'
import { findSmartFilter } from '../smart-filters/queries.ts'

/** The content of a schedule: a report, or a saved view of requisitions. */
export type Subject = { kind: ReportKind; definition: ReportDefinition } | { viewId: number }

/** Undefined if there is no such report. */
export const subjectOf = ({
  reportCode,
  smartFilterId,
}: Pick<Schedule, 'reportCode' | 'smartFilterId'>): Subject | undefined => {
  if (smartFilterId !== null) return { viewId: smartFilterId }
  for (const kind of ['QA', 'SUMMARY'] as const) {
    const definition = definitions[kind].find(({ code }) => code === reportCode)
    if (definition) return { kind, definition }
  }
}

export const neededFor = (subject: Subject): readonly Permission[] =>
  'viewId' in subject ? ['smartFilter.own'] : ['reportsPages.open', ...(subject.definition.access ?? [])]

export const mayRoleSee = (role: Role, subject: Subject) => canAll(role, neededFor(subject))

/** The view as this user sees it; undefined if they cannot, or if it is not a view of requisitions. */
export const findView = async (db: Db, actor: Actor, viewId: number): Promise<SavedView | undefined> => {
  const found = await findSmartFilter(db, actor, viewId)
  return found && savedViewOf(actor, found)
}
