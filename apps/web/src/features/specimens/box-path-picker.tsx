import { locationLabels, type StorageSpace } from '@lis/contract/spec-locations.ts'
import { styled } from '@mui/material/styles'
import { useId } from 'react'
import type { PathStep, StorageLevel } from './use-box-path.ts'

const Frame = styled('div')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: '1.75fr .9fr .9fr 1fr',
  minHeight: 288,
  border: '1px solid var(--line-strong)',
  borderRadius: 'var(--r-md)',
  overflow: 'hidden',
  '& fieldset': {
    minWidth: 0,
    margin: 0,
    padding: 0,
    border: 0,
    borderRight: '1px solid var(--line)',
    '&:last-of-type': { borderRight: 0 },
  },
  '& legend': {
    float: 'left',
    width: '100%',
    display: 'flex',
    justifyContent: 'space-between',
    padding: '8px 10px 6px',
    fontSize: 11,
    lineHeight: '14px',
    fontWeight: 600,
    color: 'var(--text-2)',
    background: 'var(--surface-2)',
    borderBottom: '1px solid var(--line)',
    '& span': { fontWeight: 400, color: 'var(--text-3)' },
  },
  '& .rooms': { clear: 'both', maxHeight: 258, overflowY: 'auto' },
  [theme.breakpoints.down('sm')]: {
    gridTemplateColumns: '1fr 1fr',
    minHeight: 0,
    '& .rooms': { maxHeight: 180 },
  },
}))
const Choice = styled('label')({
  position: 'relative',
  display: 'block',
  padding: '5px 10px 6px',
  borderBottom: '1px solid var(--line)',
  cursor: 'pointer',
  '& input': { position: 'absolute', opacity: 0, width: 1, height: 1 },
  '& .text': { display: 'flex', justifyContent: 'space-between', gap: 4, lineHeight: '16px' },
  '& .name': { minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  '& .free': { fontSize: 11, color: 'var(--text-3)' },
  '& .meter': { height: 3, marginTop: 4, borderRadius: 2, background: 'var(--n-200)' },
  '& .meter > i': { display: 'block', height: 3, borderRadius: 2, background: 'var(--n-450)' },
  '&.full': { color: 'var(--text-3)' },
  '&:hover': { background: 'var(--n-50)' },
  '&.on': {
    background: 'var(--p)',
    color: 'var(--on-p)',
    '& .name': { fontWeight: 600 },
    '& .free': { color: 'inherit' },
    '& .meter': { background: 'color-mix(in srgb, var(--on-p) 28%, transparent)' },
    '& .meter > i': { background: 'var(--on-p)' },
  },
  '&:has(:focus-visible)': {
    outline: '2px solid var(--focus)',
    outlineOffset: -2,
    boxShadow: 'inset 0 0 0 4px var(--surface)',
  },
})

interface BoxPathPickerProps {
  steps: readonly PathStep[]
  onChoose: (name: StorageLevel, code: string) => void
}

/** Freezer, shelf, rack and box side by side, each with its free slots. Tab moves between levels, arrows within one. */
export const BoxPathPicker = ({ steps, onChoose }: BoxPathPickerProps) => (
  <Frame>
    {steps.map((step) => (
      <StepColumn key={step.name} step={step} onChoose={onChoose} />
    ))}
  </Frame>
)

const labels: Record<StorageLevel, string> = {
  freezer: locationLabels.sampleStorageCode,
  shelf: locationLabels.shelf,
  rack: locationLabels.rack,
  box: locationLabels.box,
}

const StepColumn = ({
  step: { name, options, chosen },
  onChoose,
}: { step: PathStep } & Pick<BoxPathPickerProps, 'onChoose'>) => {
  const group = useId()
  return (
    <fieldset aria-busy={options === undefined}>
      <legend>
        {labels[name]} <span aria-hidden="true">free</span>
      </legend>
      <div className="rooms">
        {options?.map((option) => (
          <LevelOption
            key={option.code}
            group={group}
            option={option}
            isChosen={option === chosen}
            onChoose={() => onChoose(name, option.code)}
          />
        ))}
      </div>
    </fieldset>
  )
}

interface LevelOptionProps {
  group: string
  option: StorageSpace
  isChosen: boolean
  onChoose: () => void
}

const LevelOption = ({ group, option, isChosen, onChoose }: LevelOptionProps) => {
  const isFull = option.freeCount === 0
  const taken = option.slotCount === 0 ? 0 : 100 - (option.freeCount / option.slotCount) * 100
  return (
    <Choice className={[isChosen && 'on', isFull && 'full'].filter(Boolean).join(' ')}>
      <input
        type="radio"
        name={group}
        checked={isChosen}
        onChange={onChoose}
        aria-label={`${option.description}, ${isFull ? 'full' : `${option.freeCount} free`}`}
      />
      <span className="text">
        <span className="name" title={option.description}>
          {option.description}
        </span>
        <span className="free">{isFull ? 'Full' : option.freeCount.toLocaleString('en-US')}</span>
      </span>
      <div className="meter">
        <i style={{ width: `${taken}%` }} />
      </div>
    </Choice>
  )
}
