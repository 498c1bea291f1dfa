import IconButton from '@mui/material/IconButton'
import { CloseIcon, ErrorIcon } from '../../ui/icons.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { ScanList } from './scan-list.ts'
import type { BoxScan } from './use-box-scans.ts'

interface ScannedCodesProps {
  scans: readonly BoxScan[]
  /** Why a scan was refused, by its key. */
  problems: ReadonlyMap<number, string>
  slotNames: ReadonlyMap<number, string>
  onRemove: (key: number) => void
}

/** The codes scanned from a box in their order. */
export const ScannedCodes = ({ scans, problems, slotNames, onRemove }: ScannedCodesProps) =>
  scans.length === 0 ? (
    <EmptyState title="Nothing scanned yet">
      Scan the samples of the box, or paste a list of codes. An empty box is compared without a scan.
    </EmptyState>
  ) : (
    <ScanList aria-label="Scanned codes" tabIndex={0}>
      {scans.map(({ key, code, trackerId }, index) => {
        const problem = problems.get(key)
        return (
          <li key={key} className={problem ? 'wrong' : undefined}>
            <span className="no">{index + 1}</span>
            <span className="slot">{trackerId === null ? '–' : slotNames.get(trackerId)}</span>
            <div className="who">
              <b>{code}</b>
              {problem && (
                <div className="problem">
                  <ErrorIcon size={12} /> {problem}
                </div>
              )}
            </div>
            <IconButton size="small" aria-label={`Remove scan ${index + 1}, ${code}`} onClick={() => onRemove(key)}>
              <CloseIcon size={14} />
            </IconButton>
          </li>
        )
      })}
    </ScanList>
  )
