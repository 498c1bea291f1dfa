import { type BoxSlot, type EmptyStorage, freezerRoutes, slotName } from '@lis/contract/spec-locations.ts'
import { useState } from 'react'
import { call } from '../../lib/api.ts'
import { useNotify } from '../../ui/notices.tsx'
import { useBox } from './use-box.ts'
import { useWay, wayOf } from './use-way.ts'

/** A slot that is to be filled; it may lie in another box than the one in view. */
export interface ChosenSlot {
  trackerId: number
  name: string
  /** The whole way to its box: boxes of different racks have one name. */
  way: string
}

const mostAtOnce = 2_000

/** Which slots are chosen, on the way to which box. What somebody else takes meanwhile is no longer chosen. */
export const useSlotChoice = (labId: number) => {
  const way = useWay(labId)
  const { address, steps } = way
  const notify = useNotify()
  const [selected, setSelected] = useState<readonly ChosenSlot[]>([])
  const { box, error, refresh } = useBox(address)
  const slots = box?.slots
  const taken = new Set(slots?.filter(({ reqId }) => reqId !== null).map(({ trackerId }) => trackerId))
  const chosen = selected.filter(({ trackerId }) => !taken.has(trackerId))
  const wayInView = wayOf(steps.map(({ chosen: room }) => room?.description))
  const ofView = (slot: BoxSlot): ChosenSlot => ({ trackerId: slot.trackerId, name: slotName(slot), way: wayInView })

  const takeNext = async (count: number) => {
    const free = slots?.filter(({ reqId }) => reqId === null) ?? []
    if (free.length >= count) return setSelected(free.slice(0, count).map(ofView))
    const found = await call(freezerRoutes.emptyStorages, {
      params: { labId },
      query: { perPage: String(mostAtOnce), ...(address && { sampleStorageCode: address.freezer }) },
    })
    const next = firstWithRoom(found.data, count)
    const [first] = next
    if (!first) return notify.warning('There is no empty slot in this freezer')
    way.goTo({ freezer: first.sampleStorageCode, shelf: first.shelf, rack: first.rack, box: first.box })
    setSelected(
      next.map((slot) => ({
        trackerId: slot.trackerId,
        name: slotName(slot),
        way: wayOf([slot.sampleStorageDesc, slot.shelf, slot.rack, slot.box]),
      })),
    )
  }

  return {
    steps,
    error: way.error ?? error,
    choose: way.choose,
    box,
    wayInView,
    chosen,
    toggle: (slot: BoxSlot) =>
      setSelected((before) =>
        before.some(({ trackerId }) => trackerId === slot.trackerId)
          ? before.filter(({ trackerId }) => trackerId !== slot.trackerId)
          : [...before, ofView(slot)],
      ),
    takeNext: (count: number) =>
      takeNext(count).catch((error: unknown) => notify.error(error instanceof Error ? error.message : undefined)),
    refresh,
  }
}

/** All in one box where one has the room; else in as many as it takes, one after the other. */
const firstWithRoom = (slots: readonly EmptyStorage[], count: number): readonly EmptyStorage[] => {
  const byBox = Map.groupBy(slots, ({ shelf, rack, box }) => JSON.stringify([shelf, rack, box]))
  const roomy = [...byBox.values()].find((group) => group.length >= count)
  return (roomy ?? slots).slice(0, count)
}
