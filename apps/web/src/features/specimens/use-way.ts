import { freezerRoutes, type Room } from '@lis/contract/spec-locations.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../../lib/query.ts'

export const stepNames = ['freezer', 'shelf', 'rack', 'box'] as const
export type StepName = (typeof stepNames)[number]
export type Way = Partial<Record<StepName, string>>

export interface Step {
  name: StepName
  rooms: readonly Room[] | undefined
  chosen: Room | undefined
}

/** 'Freezer 1 › 2 › A › 03' */
export const wayOf = (names: readonly (string | undefined)[]) => names.join(' › ')

/** Others fill boxes meanwhile. */
const fresh = { staleTime: 3_000 }
const query = {}

/** The chosen one, or else the first with room: one choice leads on to a box. */
const pick = (rooms: readonly Room[] | undefined, code: string | undefined) =>
  rooms?.find((room) => room.code === code) ?? rooms?.find(({ freeCount }) => freeCount > 0) ?? rooms?.[0]

/** From the freezer over shelf and rack to a box, or to the pinned one. What a step offers is asked once the step before is chosen. */
export const useWay = (labId: number, pinned: Way = {}) => {
  const [chosen, setChosen] = useState<Way>({})
  const way = { ...chosen, ...pinned }
  const freezers = useQuery({ ...read(freezerRoutes.freezers, { params: { labId }, query }), ...fresh })
  const freezer = pick(freezers.data?.data, way.freezer)
  const shelfParams = { labId, freezer: freezer?.code ?? '' }
  const shelves = useQuery({
    ...read(freezerRoutes.shelves, { params: shelfParams, query }),
    ...fresh,
    enabled: freezer !== undefined,
  })
  const shelf = freezer && pick(shelves.data?.data, way.shelf)
  const rackParams = { ...shelfParams, shelf: shelf?.code ?? '' }
  const racks = useQuery({
    ...read(freezerRoutes.racks, { params: rackParams, query }),
    ...fresh,
    enabled: shelf !== undefined,
  })
  const rack = shelf && pick(racks.data?.data, way.rack)
  const boxParams = { ...rackParams, rack: rack?.code ?? '' }
  const boxes = useQuery({
    ...read(freezerRoutes.boxes, { params: boxParams, query }),
    ...fresh,
    enabled: rack !== undefined,
  })
  const box = rack && pick(boxes.data?.data, way.box)
  const steps: readonly Step[] = [
    { name: 'freezer', rooms: freezers.data?.data, chosen: freezer },
    { name: 'shelf', rooms: freezer && shelves.data?.data, chosen: shelf },
    { name: 'rack', rooms: shelf && racks.data?.data, chosen: rack },
    { name: 'box', rooms: rack && boxes.data?.data, chosen: box },
  ]
  return {
    steps,
    error: freezers.error ?? shelves.error ?? racks.error ?? boxes.error,
    address: box && { ...boxParams, box: box.code },
    /** What comes after the step begins anew. */
    choose: (name: StepName, code: string) =>
      setChosen({
        ...Object.fromEntries(stepNames.slice(0, stepNames.indexOf(name)).map((step) => [step, way[step]])),
        [name]: code,
      }),
    goTo: setChosen,
  }
}
