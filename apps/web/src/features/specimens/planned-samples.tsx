import IconButton from '@mui/material/IconButton'
import { useEffect, useRef } from 'react'
import { formatLongDate } from '../../lib/formats.ts'
import { CloseIcon, ErrorIcon } from '../../ui/icons.tsx'
import { EmptyState } from '../../ui/states.tsx'
import type { PlannedSample } from './box-plan.ts'
import { ScanList } from './scan-list.ts'

interface PlannedSamplesProps {
  samples: readonly PlannedSample[]
  onRemove: (key: number) => void
}

/** The scanned samples in order, each with its slot. Scrolls to the newest. */
export const PlannedSamples = ({ samples, onRemove }: PlannedSamplesProps) => {
  const list = useRef<HTMLOListElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows the number of samples
  useEffect(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight })
  }, [samples.length])
  if (samples.length === 0)
    return (
      <EmptyState title="Nothing scanned yet">
        Scan the labels in the order in which the samples stand in the box, or paste a list of numbers.
      </EmptyState>
    )
  return (
    <ScanList ref={list} aria-label="Scanned samples" tabIndex={0}>
      {samples.map((sample) => (
        <li key={sample.key} className={sample.problem ? 'wrong' : undefined}>
          <span className="no">{sample.no}</span>
          <span className="slot">{sample.slotName ?? '–'}</span>
          <div className="who">
            <b>#{sample.reqId}</b> {nameOf(sample)}
            {sample.problem ? (
              <div className="problem">
                <ErrorIcon size={12} /> {sample.problem}
              </div>
            ) : (
              <SampleHints sample={sample} />
            )}
          </div>
          <IconButton
            size="small"
            aria-label={`Remove sample ${sample.no}, #${sample.reqId}`}
            onClick={() => onRemove(sample.key)}
          >
            <CloseIcon size={14} />
          </IconButton>
        </li>
      ))}
    </ScanList>
  )
}

const nameOf = ({ whose }: PlannedSample) =>
  whose?.patientName && `${whose.patientName}${whose.patientDob ? ` (${formatLongDate(whose.patientDob)})` : ''}`

/** Points out a second scan of one tube, which looks like a second aliquot. */
const SampleHints = ({ sample: { aliquot, whose } }: { sample: PlannedSample }) => {
  const stored = whose?.placedCount ?? 0
  const parts = [aliquot > 1 && `Aliquot ${aliquot}: scanned before`, stored > 0 && `${stored} already stored`].filter(
    Boolean,
  )
  return parts.length > 0 && <div className="more">{parts.join(', ')}</div>
}
