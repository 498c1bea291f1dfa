import { day, hour, isoInstant } from './clock.ts'
import type { Draft, RequisitionContext } from './draft.ts'
import { tubeKinds } from './orders.ts'
import { weighted } from './random.ts'

const sampleSizes = weighted([
  ['CRYO05', 20],
  ['CRYO10', 65],
  ['CRYO20', 15],
] as const)

/** Samples are kept this long, then thrown away. */
const keptDays = 90

export const addSpecimens = (context: RequisitionContext, draft: Draft) => {
  const { receivedAt } = draft
  if (receivedAt === null) return
  const accessioning = context.world.users.of(context.catalogue.departmentId('ACC'), draft.random)
  for (const type of draft.order.specimenTypes) {
    const kind = tubeKinds[type] ?? tubeKinds.SERUM
    if (!kind) throw new Error(`No tube for ${type}`)
    const id = context.ids.next('specimen')
    context.rows.add('specimen', {
      id,
      requisition_id: draft.id,
      type_code: type,
      temperature_code: draft.random.draw(kind.temperatures),
      container_code: kind.container,
      tube_count: draft.random.chance(0.8) ? 1 : draft.random.int(2, 3),
      received_at: isoInstant(receivedAt),
      received_zone: draft.lab.zone,
      created_by: accessioning,
      created_at: isoInstant(receivedAt),
    })
    addLocations(context, draft, id, kind.location)
  }
}

/** Once in work, about a third of the tubes leave an aliquot in the freezer; samples older than three months have been discarded. */
const addLocations = (context: RequisitionContext, draft: Draft, specimenId: number, kind: string) => {
  const { random, timeline, lab } = draft
  const processedAt = timeline.first('PROCESS')
  if (processedAt === undefined || !random.chance(0.35)) return
  const isKept = processedAt > context.plan.asOf - keptDays * day
  // A large set has more samples than slots: the freezer then holds the newest, and old placements are left out.
  if (context.plan.isLarge && !isNewest(context, draft)) return
  const count = random.chance(0.3) ? 2 : 1
  for (let aliquot = 1; aliquot <= count; aliquot += 1) {
    const slot = isKept ? context.world.freezers.take(lab.id) : context.world.freezers.former(lab.id, random.next())
    if (slot === undefined) return
    const placedAt = Math.min(processedAt + random.between(0.2, 3) * hour, context.plan.asOf)
    const laboratory = context.catalogue.departmentId('LAB')
    context.rows.add('specimen_location', {
      id: context.ids.next('specimen_location'),
      requisition_id: draft.id,
      specimen_id: specimenId,
      slot_id: slot,
      spec_loc_type_code: kind,
      sample_size_code: random.draw(sampleSizes),
      aliquot,
      placed_at: isoInstant(placedAt),
      placed_by: context.world.users.of(laboratory, random),
      discarded_at: isKept ? null : isoInstant(placedAt + keptDays * day - hour),
      discarded_by: isKept ? null : context.world.users.of(laboratory, random),
    })
  }
}

const isNewest = (context: RequisitionContext, draft: Draft): boolean =>
  context.plan.requisitions - draft.index < context.world.freezers.size * 2
