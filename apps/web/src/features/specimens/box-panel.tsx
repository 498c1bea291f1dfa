import type { BoxSlot, FreezerBox } from '@lis/contract/spec-locations.ts'
import { styled } from '@mui/material/styles'
import { Moment } from '../../ui/moment.tsx'
import { LoadingState } from '../../ui/states.tsx'
import { BoxLegend, BoxPicture } from './box-picture.tsx'
import { type Step, wayOf } from './use-way.ts'

const Panel = styled('div')({ display: 'flex', flexDirection: 'column', gap: 10 })
const Head = styled('div')({
  display: 'flex',
  justifyContent: 'space-between',
  color: 'var(--text-3)',
  '& b': { fontWeight: 600, color: 'var(--text-strong)' },
})
const Way = styled('p')({ margin: 0, color: 'var(--text-3)', '& b': { fontWeight: 600, color: 'var(--text-strong)' } })

interface BoxPanelProps {
  box: FreezerBox | undefined
  steps: readonly Step[]
  /** Left out where a box is filled for many. */
  reqId?: number
  chosen: ReadonlyMap<number, string>
  /** Chosen slots whose sample cannot lie there. */
  wrong?: ReadonlySet<number>
  onToggle: (slot: BoxSlot) => void
}

/** The box at the end of the way, with its name and the room in it. */
export const BoxPanel = ({ box, steps, reqId, chosen, wrong, onToggle }: BoxPanelProps) => {
  const name = steps.at(-1)?.chosen?.description
  if (name === undefined && steps[0]?.rooms?.length === 0) return <div>This laboratory has no freezer yet.</div>
  if (!box || name === undefined)
    return (
      <div style={{ minHeight: 380 }}>
        <LoadingState label="Data loading" />
      </div>
    )
  const free = box.slots.filter((slot) => slot.reqId === null).length
  return (
    <Panel>
      <Head>
        <b>Box {name}</b>
        <span>
          {free} of {box.slots.length} free
        </span>
      </Head>
      <BoxPicture name={name} box={box} reqId={reqId} chosen={chosen} wrong={wrong} onToggle={onToggle} />
      <BoxLegend {...(reqId === undefined && { chosen: 'Planned', hasOwn: false })} />
      <Way>
        {wayOf(steps.map(({ chosen: room }) => room?.description))}
        {box.lastPlacedDate && (
          <>
            , last used <Moment at={box.lastPlacedDate} zone={box.labTz} />
            {box.lastPlacedByUsername && ` by ${box.lastPlacedByUsername}`}
          </>
        )}
      </Way>
    </Panel>
  )
}
