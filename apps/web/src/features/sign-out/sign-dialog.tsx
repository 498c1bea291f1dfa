import { type MeaningCode, signatureMeanings, signOutLabels, signOutRoutes } from '@lis/contract/sign-out.ts'
import Button from '@mui/material/Button'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { styled, useTheme } from '@mui/material/styles'
import useMediaQuery from '@mui/material/useMediaQuery'
import { type FormEvent, type RefObject, useEffect, useId, useState } from 'react'
import { DeliveryReceivers } from '../../domain/delivery-receivers.tsx'
import { call } from '../../lib/api.ts'
import { ApiError } from '../../lib/api-error.ts'
import { events } from '../../lib/events.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { CodeInput } from '../../ui/code-input.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { checksWidth } from './checks-panel.tsx'

const Fields = styled('div')({
  display: 'grid',
  gap: 16,
  '& fieldset': { margin: 0, padding: 0, border: 0, display: 'grid', gap: 4 },
  '& legend': { padding: 0, marginBottom: 4, fontSize: 12, color: 'var(--text-2)' },
  '& label.choice': { display: 'flex', alignItems: 'start', gap: 8 },
  '& .band': {
    margin: 0,
    padding: '8px 12px',
    borderLeft: '4px solid var(--warning-solid)',
    background: 'var(--id-bg)',
    color: 'var(--text-strong)',
    fontWeight: 600,
    overflowWrap: 'anywhere',
  },
  '& .refused': { margin: 0, color: 'var(--error)' },
})

export interface SignTarget {
  reports: { id: number; contentSha256: string }[]
  /** Whose report it is, or how many. */
  label: string
  meaningCodes: readonly MeaningCode[]
  /** Warnings that must be confirmed before signing. */
  warnings: readonly string[]
  isCodeNeeded: boolean
  /** Of a single report. */
  reqId?: number
  /** The place of the report that opens afterwards: '2 of 5'. */
  next?: string
}

interface SignDialogProps {
  target: SignTarget
  /** The page that is signed: it stays lit while all else dims. */
  page: RefObject<HTMLElement | null>
  signerName: string
  onClose: () => void
  onSigned: (signed: readonly number[], meaningCode: MeaningCode) => void
}

/** The components of a signature: meaning, password and, if required, the second factor. */
export const SignDialog = ({ target, page, signerName, onClose, onSigned }: SignDialogProps) => {
  const id = useId()
  const { reports, meaningCodes, warnings } = target
  const first = meaningCodes.includes('APPROVE') ? 'APPROVE' : meaningCodes[0]
  const [meaningCode, setMeaningCode] = useState<MeaningCode>(first ?? 'APPROVE')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [isCodeAsked, setCodeAsked] = useState(target.isCodeNeeded)
  const [channel, setChannel] = useState<'SMS' | 'TOTP' | null>(null)
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set())
  const [faults, setFaults] = useState<{ password?: string; code?: string; other?: string }>({})
  const [isBusy, setBusy] = useState(false)
  const save = useSave(signOutRoutes.sign, { isSilent: true })
  // Beside each other the dialog stands over the checks; several reports have no page of their own.
  const isBeside = useMediaQuery(useTheme().breakpoints.up('lg'), { noSsr: true }) && target.reqId !== undefined
  const backdrop = useBackdropAround(page, isBeside)
  const isReady = password !== '' && (!isCodeAsked || code.length === 6) && warnings.every((text) => seen.has(text))

  const sendCode = async () => {
    const { data } = await call(signOutRoutes.sendCode, { body: {} })
    setChannel(data.channel)
    events.emit('notice', {
      type: 'info',
      message: data.channel === 'SMS' ? 'A code has been sent to your phone' : 'Use the code of your authenticator app',
    })
  }
  const sign = async (event: FormEvent) => {
    event.preventDefault()
    if (!isReady) return
    setBusy(true)
    try {
      const { data } = await save({ body: { reports, meaningCode, password, ...(isCodeAsked && { code }) } })
      for (const { label, reason } of data.refused)
        events.emit('notice', { type: 'warning', message: `${label}: ${reason}` })
      onSigned(data.signed, meaningCode)
    } catch (error) {
      setFaults(faultsOf(error))
      if (error instanceof ApiError && error.errors.some(({ field }) => field === 'code')) setCodeAsked(true)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog
      open
      onClose={onClose}
      aria-labelledby={`${id}-title`}
      slotProps={{
        paper: { sx: { maxWidth: 420, ...(isBeside && { width: `calc(${checksWidth} - 24px)`, margin: '12px' }) } },
        ...(isBeside && { container: { sx: { justifyContent: 'flex-end' } }, backdrop: { style: backdrop } }),
      }}
    >
      <form onSubmit={sign}>
        <DialogTitle id={`${id}-title`}>{meaningCode === 'REVIEW' ? 'Sign' : 'Sign and release'}</DialogTitle>
        <DialogContent>
          <Fields>
            <p className="band">{target.label}</p>
            <fieldset>
              <legend>{signOutLabels.meaningCode}</legend>
              {meaningCodes.map((one) => (
                <label key={one} className="choice">
                  <input
                    type="radio"
                    name={`${id}-meaning`}
                    checked={one === meaningCode}
                    onChange={() => setMeaningCode(one)}
                  />
                  {signatureMeanings[one]}
                </label>
              ))}
            </fieldset>
            <div>
              Signer: <b>{signerName}</b>
            </div>
            <PasswordField
              label={signOutLabels.password}
              value={password}
              required
              autoFocus
              autoComplete="current-password"
              error={faults.password}
              onChange={({ target: { value } }) => setPassword(value)}
            />
            {isCodeAsked && (
              <>
                <CodeInput label={signOutLabels.code} value={code} onChange={setCode} error={faults.code} />
                <div>
                  <Button onClick={sendCode}>{channel === 'SMS' ? 'Send another code' : 'Send code'}</Button>
                </div>
              </>
            )}
            {warnings.length > 0 && (
              <fieldset>
                <legend>I have seen</legend>
                {warnings.map((text) => (
                  <label key={text} className="choice">
                    <input
                      type="checkbox"
                      checked={seen.has(text)}
                      onChange={({ target: { checked } }) => setSeen(withOrWithout(seen, text, checked))}
                    />
                    {text}
                  </label>
                ))}
              </fieldset>
            )}
            {target.reqId !== undefined && meaningCode !== 'REVIEW' && (
              <div>
                {meaningCode === 'AMEND' && <div>It is sent at once to everybody who was sent the version before.</div>}
                <DeliveryReceivers requisitionId={target.reqId} />
              </div>
            )}
            {faults.other && (
              <p className="refused" role="alert">
                {faults.other}
              </p>
            )}
          </Fields>
        </DialogContent>
        <DialogActions>
          {target.next !== undefined && (
            <span style={{ marginRight: 'auto', color: 'var(--text-3)' }}>Next: {target.next}</span>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <ActionButton type="submit" variant="contained" isBusy={isBusy} disabled={!isReady}>
            {meaningCode === 'REVIEW' ? 'Sign' : 'Sign and release'}
          </ActionButton>
        </DialogActions>
      </form>
    </Dialog>
  )
}

/** A backdrop with a hole where the page is. */
const useBackdropAround = (page: RefObject<HTMLElement | null>, isOn: boolean) => {
  const [clipPath, setClipPath] = useState<string>()
  useEffect(() => {
    const node = page.current
    if (!isOn || !node) return
    const measure = () => {
      const { left, top, right, bottom } = node.getBoundingClientRect()
      const all = `M0 0H${window.innerWidth}V${window.innerHeight}H0Z`
      setClipPath(`path(evenodd, "${all}M${left} ${top}H${right}V${bottom}H${left}Z")`)
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(node)
    return () => observer.disconnect()
  }, [page, isOn])
  return isOn && clipPath !== undefined ? { clipPath } : {}
}

const withOrWithout = (set: ReadonlySet<string>, text: string, isIn: boolean) => {
  const next = new Set(set)
  if (isIn) next.add(text)
  else next.delete(text)
  return next
}

const faultsOf = (error: unknown): { password?: string; code?: string; other?: string } => {
  if (!(error instanceof ApiError)) return { other: (error as Error).message }
  const byField = Object.fromEntries(error.errors.map(({ field, message }) => [field, message]))
  return error.errors.length > 0 ? byField : { other: error.message }
}
