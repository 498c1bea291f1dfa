import { type BoxAddress, freezerRoutes, type ReconcileOutcome, slotName } from '@lis/contract/spec-locations.ts'
import Button from '@mui/material/Button'
import { type ReactNode, useId, useState } from 'react'
import { ApiError } from '../../lib/api-error.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { LoadFailed } from '../../ui/table/table-states.tsx'
import { BoxColumns } from './box-columns.ts'
import { BoxPanel } from './box-panel.tsx'
import { BoxPathPicker } from './box-path-picker.tsx'
import { MoveBoxDialog } from './move-box-dialog.tsx'
import { BoxComparison, changesOf } from './reconcile-outcome.tsx'
import { ScanSamples } from './scan-samples.tsx'
import { ScannedCodes } from './scanned-codes.tsx'
import { useBox } from './use-box.ts'
import { type StorageLevel, useBoxPath } from './use-box-path.ts'
import { useBoxScans } from './use-box-scans.ts'

/** Box, its slots, and what was scanned; then the comparison, before anything is changed. */
export const ReconcileBox = ({ labId, labChoice }: { labId: number; labChoice: ReactNode }) => {
  const path = useBoxPath(labId)
  const { address } = path
  const { box, error, refresh } = useBox(address)
  const scans = useBoxScans(box?.slots ?? [])
  const { outcome, problems, isBusy, compare, putRight, forget } = useReconciling(address, scans.scans)
  const [isConfirming, setConfirming] = useState(false)
  const [isMoving, setMoving] = useState(false)
  useUnsaved(useId(), scans.scans.length > 0, 'What you scanned is not compared with the record of the box.')
  const slotNames = new Map(box?.slots.map((slot) => [slot.trackerId, slotName(slot)]))
  const marks = new Map(
    scans.scans.flatMap(({ trackerId }, index) =>
      trackerId === null ? [] : [[trackerId, String(index + 1)] as const],
    ),
  )
  if (scans.nextSlot !== null) marks.set(scans.nextSlot, '…')
  const startAgain = () => {
    scans.clear()
    forget()
  }
  const choose = (level: StorageLevel, code: string) => {
    startAgain()
    path.choose(level, code)
  }
  const changes = outcome ? changesOf(outcome) : []
  return (
    <BoxColumns>
      <Card
        title="Which box"
        actions={
          address && (
            <Button disabled={scans.scans.length > 0} onClick={() => setMoving(true)}>
              Move
            </Button>
          )
        }
      >
        {labChoice && <div className="fields">{labChoice}</div>}
        {(path.error ?? error) ? (
          <LoadFailed error={path.error ?? error} onRetry={refresh} />
        ) : (
          <BoxPathPicker steps={path.steps} onChoose={choose} />
        )}
      </Card>
      <Card title="The box as it is recorded">
        <BoxPanel
          box={box}
          steps={path.steps}
          chosen={marks}
          chosenLabel="Scanned here"
          takesTaken
          onToggle={scans.chooseSlot}
        />
        <span className="hint" role="status">
          {scans.nextSlot === null
            ? 'Scan the samples in any order. To check their slots too, choose the slot of the next scan.'
            : `The next scan is of ${slotNames.get(scans.nextSlot)}. To skip empty slots, choose the next one.`}
        </span>
      </Card>
      <Card title={outcome ? 'Comparison' : `Scanned (${scans.scans.length})`}>
        {outcome ? (
          <BoxComparison outcome={outcome} slotNames={slotNames} />
        ) : (
          <>
            <ScanSamples onAdd={scans.add} code="code of a sample or requisition" />
            <ScannedCodes scans={scans.scans} problems={problems} slotNames={slotNames} onRemove={scans.remove} />
          </>
        )}
        <div className="foot">
          <span role="status" className={problems.size > 0 ? 'wrong' : undefined}>
            {problems.size > 0 && `${problems.size} of ${scans.scans.length} cannot be compared`}
            {outcome && changes.length === 0 && 'The box is as it is recorded'}
          </span>
          {outcome ? (
            <>
              <Button onClick={forget}>Back to the scans</Button>
              <Button onClick={startAgain}>Next box</Button>
              <Button variant="contained" disabled={changes.length === 0} onClick={() => setConfirming(true)}>
                Put right
              </Button>
            </>
          ) : (
            <>
              {scans.scans.length > 0 && <Button onClick={startAgain}>Clear</Button>}
              <ActionButton variant="contained" disabled={!address} isBusy={isBusy} onClick={compare}>
                Compare
              </ActionButton>
            </>
          )}
        </div>
      </Card>
      <ConfirmDialog
        isOpen={isConfirming}
        title="Put the record of this box right?"
        confirmLabel="Put right"
        isBusy={isBusy}
        onConfirm={async () => {
          await putRight(scans.clear)
          setConfirming(false)
          refresh()
        }}
        onCancel={() => setConfirming(false)}
      >
        {changes.map((change) => (
          <p key={change}>{change}</p>
        ))}
      </ConfirmDialog>
      {isMoving && address && (
        <MoveBoxDialog address={address} freezers={path.steps[0]?.options ?? []} onClose={() => setMoving(false)} />
      )}
    </BoxColumns>
  )
}

/** The dry run, its outcome, and the reason for each refused code. */
const useReconciling = (
  address: BoxAddress | undefined,
  scans: readonly { key: number; code: string; trackerId: number | null }[],
) => {
  const [found, setFound] = useState<{ outcome: ReconcileOutcome; of: typeof scans } | null>(null)
  const [refused, setRefused] = useState<{ reasons: ReadonlyMap<number, string>; of: typeof scans } | null>(null)
  const dryRun = useSave(freezerRoutes.reconcile, { isSilent: true, isImmediate: true, invalidates: [] })
  const save = useSave(freezerRoutes.reconcile, { isImmediate: true, failure: 'error' })
  const [isBusy, whileBusy] = useBusy()
  const codes = scans.map(({ code, trackerId }) => ({ code, trackerId }))
  const outcome = found?.of === scans ? found.outcome : null
  const refuse = (error: unknown) => {
    setFound(null)
    setRefused({ reasons: reasonsOf(error, scans), of: scans })
  }
  const compare = async () => {
    if (!address) return
    const { data } = await dryRun({ params: address, body: { codes, dryRun: true } })
    setFound({ outcome: data, of: scans })
  }
  const putRight = async (onDone: () => void) => {
    if (!address || !outcome) return
    await save({ params: address, body: { codes, dryRun: false, boxVersion: outcome.boxVersion } })
    setFound(null)
    onDone()
  }
  return {
    outcome,
    problems: (refused?.of === scans && refused.reasons) || new Map<number, string>(),
    isBusy,
    compare: () => void whileBusy(compare, refuse),
    putRight: (onDone: () => void) => whileBusy(() => putRight(onDone), refuse),
    forget: () => setFound(null),
  }
}

/** 'codes.3' is the fourth scan. */
const reasonsOf = (error: unknown, scans: readonly { key: number }[]) =>
  new Map(
    error instanceof ApiError
      ? error.errors.flatMap(({ field, message }) => {
          const scan = scans[Number(/^codes\.(\d+)/.exec(field)?.[1])]
          return scan ? [[scan.key, message] as const] : []
        })
      : [],
  )
