import { type BoxSlot, type EmptyStorage, freezerRoutes, slotName } from '@lis/contract/spec-locations.ts'
import { useState } from 'react'
import { call } from '../../lib/api.ts'
import { useNotify } from '../../ui/notices.tsx'
import { useBox } from './use-box.ts'
import { formatPath, useBoxPath } from './use-box-path.ts'

/** A slot to fill; it may be in another box than the visible one. */
export interface ChosenSlot {
  trackerId: number
  name: string
  /** The full path of its box: boxes in different racks have the same name. */
  path: string
}

const maxSlots = 2_000

/** The chosen slots and box. Slots that other users take meanwhile are no longer chosen. */
export const useSlotChoice = (labId: number) => {
  const path = useBoxPath(labId)
  const { address, steps } = path
  const notify = useNotify()
  const [selected, setSelected] = useState<readonly ChosenSlot[]>([])
  const { box, error, refresh } = useBox(address)
  const slots = box?.slots
  const taken = new Set(slots?.filter(({ reqId }) => reqId !== null).map(({ trackerId }) => trackerId))
  const chosen = selected.filter(({ trackerId }) => !taken.has(trackerId))
  const visiblePath = formatPath(steps.map(({ chosen: option }) => option?.description))
  const inVisibleBox = (slot: BoxSlot): ChosenSlot => ({
    trackerId: slot.trackerId,
    name: slotName(slot),
    path: visiblePath,
  })

  const takeNext = async (count: number) => {
    const free = slots?.filter(({ reqId }) => reqId === null) ?? []
    if (free.length >= count) return setSelected(free.slice(0, count).map(inVisibleBox))
    const found = await call(freezerRoutes.emptyStorages, {
      params: { labId },
      query: { perPage: String(maxSlots), ...(address && { sampleStorageCode: address.freezer }) },
    })
    const next = firstWithRoom(found.data, count)
    const [first] = next
    if (!first) return notify.warning('There is no empty slot in this freezer')
    path.goTo({ freezer: first.sampleStorageCode, shelf: first.shelf, rack: first.rack, box: first.box })
    setSelected(
      next.map((slot) => ({
        trackerId: slot.trackerId,
        name: slotName(slot),
        path: formatPath([slot.sampleStorageDesc, slot.shelf, slot.rack, slot.box]),
      })),
    )
  }

  return {
    steps,
    error: path.error ?? error,
    choose: path.choose,
    box,
    visiblePath,
    chosen,
    toggle: (slot: BoxSlot) =>
      setSelected((before) =>
        before.some(({ trackerId }) => trackerId === slot.trackerId)
          ? before.filter(({ trackerId }) => trackerId !== slot.trackerId)
          : [...before, inVisibleBox(slot)],
      ),
    takeNext: (count: number) =>
      takeNext(count).catch((error: unknown) => notify.error(error instanceof Error ? error.message : undefined)),
    refresh,
  }
}

/** All in one box if one has enough room, otherwise in several, one after the other. */
const firstWithRoom = (slots: readonly EmptyStorage[], count: number): readonly EmptyStorage[] => {
  const byBox = Map.groupBy(slots, ({ shelf, rack, box }) => JSON.stringify([shelf, rack, box]))
  const largeEnough = [...byBox.values()].find((group) => group.length >= count)
  return (largeEnough ?? slots).slice(0, count)
}
