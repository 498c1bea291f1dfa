import type { BoxSlot, FreezerBox } from '@lis/contract/spec-locations.ts'
import { styled } from '@mui/material/styles'
import { SnowflakeIcon } from '../../ui/icons.tsx'
import { LoadingState } from '../../ui/states.tsx'
import { Timestamp } from '../../ui/timestamp.tsx'
import { BoxLegend, BoxPicture } from './box-picture.tsx'
import { formatPath, type PathStep } from './use-box-path.ts'

const Panel = styled('div')({ display: 'flex', flexDirection: 'column', gap: 10 })
const Head = styled('div')({
  display: 'flex',
  justifyContent: 'space-between',
  color: 'var(--text-3)',
  '& b': { fontWeight: 600, color: 'var(--text-strong)' },
})
const Path = styled('p')({
  display: 'flex',
  gap: 6,
  margin: 0,
  color: 'var(--text-3)',
  '& svg': { flex: 'none', marginTop: 2 },
})

interface BoxPanelProps {
  box: FreezerBox | undefined
  steps: readonly PathStep[]
  /** Undefined where a box is filled for many requisitions. */
  reqId?: number
  chosen: ReadonlyMap<number, string>
  /** Chosen slots in which the sample cannot be placed. */
  invalid?: ReadonlySet<number>
  /** What the chosen slots are, and whether those with a sample can be chosen. */
  chosenLabel?: string
  takesTaken?: boolean
  onToggle: (slot: BoxSlot) => void
}

/** The chosen box, with its name and free slots. */
export const BoxPanel = (props: BoxPanelProps) => {
  const { box, steps, reqId, chosen, invalid, chosenLabel = 'Planned', takesTaken, onToggle } = props
  const name = steps.at(-1)?.chosen?.description
  if (name === undefined && steps[0]?.options?.length === 0) return <div>This laboratory has no freezer yet.</div>
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
      <BoxPicture
        name={name}
        box={box}
        reqId={reqId}
        chosen={chosen}
        invalid={invalid}
        takesTaken={takesTaken}
        onToggle={onToggle}
      />
      <BoxLegend {...(reqId === undefined && { chosen: chosenLabel, hasOwn: false })} />
      {reqId === undefined && <BoxPath box={box} steps={steps} />}
    </Panel>
  )
}

/** Where the box is, and who used it last. */
export const BoxPath = ({ box, steps }: Pick<BoxPanelProps, 'steps'> & { box: FreezerBox }) => (
  <Path>
    <SnowflakeIcon />
    <span>
      {formatPath(steps.map(({ chosen: option }) => option?.description))}
      {box.lastPlacedDate && (
        <>
          , last used <Timestamp at={box.lastPlacedDate} zone={box.labTz} />
          {box.lastPlacedByUsername && ` by ${box.lastPlacedByUsername}`}
        </>
      )}
    </span>
  </Path>
)
