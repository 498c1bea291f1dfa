import { freezerRoutes, type StorageSpace } from '@lis/contract/spec-locations.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../../lib/query.ts'

const storageLevels = ['freezer', 'shelf', 'rack', 'box'] as const
export type StorageLevel = (typeof storageLevels)[number]
export type BoxPath = Partial<Record<StorageLevel, string>>

export interface PathStep {
  name: StorageLevel
  options: readonly StorageSpace[] | undefined
  chosen: StorageSpace | undefined
}

/** 'Freezer 1 › 2 › A › 03' */
export const formatPath = (names: readonly (string | undefined)[]) => names.join(' › ')

/** Others fill boxes meanwhile. */
const fresh = { staleTime: 3_000 }
const query = {}

/** The chosen one, or else the first with free slots: one choice leads to a box. */
const pick = (options: readonly StorageSpace[] | undefined, code: string | undefined) =>
  options?.find((option) => option.code === code) ?? options?.find(({ freeCount }) => freeCount > 0) ?? options?.[0]

/**
 * The path from freezer over shelf and rack to a box, or to the pinned one. The options of a level are loaded once the level before is
 * chosen.
 */
export const useBoxPath = (labId: number, pinned: BoxPath = {}) => {
  const [chosen, setChosen] = useState<BoxPath>({})
  const path = { ...chosen, ...pinned }
  const freezers = useQuery({ ...read(freezerRoutes.freezers, { params: { labId }, query }), ...fresh })
  const freezer = pick(freezers.data?.data, path.freezer)
  const shelfParams = { labId, freezer: freezer?.code ?? '' }
  const shelves = useQuery({
    ...read(freezerRoutes.shelves, { params: shelfParams, query }),
    ...fresh,
    enabled: freezer !== undefined,
  })
  const shelf = freezer && pick(shelves.data?.data, path.shelf)
  const rackParams = { ...shelfParams, shelf: shelf?.code ?? '' }
  const racks = useQuery({
    ...read(freezerRoutes.racks, { params: rackParams, query }),
    ...fresh,
    enabled: shelf !== undefined,
  })
  const rack = shelf && pick(racks.data?.data, path.rack)
  const boxParams = { ...rackParams, rack: rack?.code ?? '' }
  const boxes = useQuery({
    ...read(freezerRoutes.boxes, { params: boxParams, query }),
    ...fresh,
    enabled: rack !== undefined,
  })
  const box = rack && pick(boxes.data?.data, path.box)
  const steps: readonly PathStep[] = [
    { name: 'freezer', options: freezers.data?.data, chosen: freezer },
    { name: 'shelf', options: freezer && shelves.data?.data, chosen: shelf },
    { name: 'rack', options: shelf && racks.data?.data, chosen: rack },
    { name: 'box', options: rack && boxes.data?.data, chosen: box },
  ]
  return {
    steps,
    error: freezers.error ?? shelves.error ?? racks.error ?? boxes.error,
    address: box && { ...boxParams, box: box.code },
    /** Resets the levels after it. */
    choose: (name: StorageLevel, code: string) =>
      setChosen({
        ...Object.fromEntries(storageLevels.slice(0, storageLevels.indexOf(name)).map((step) => [step, path[step]])),
        [name]: code,
      }),
    goTo: setChosen,
  }
}
