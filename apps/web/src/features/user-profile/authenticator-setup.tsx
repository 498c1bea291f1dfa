import { zodResolver } from '@hookform/resolvers/zod'
import { mfaCode } from '@lis/contract/validation.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { Controller, useForm } from 'react-hook-form'
import { z } from 'zod'
import { freshAccessToken, identity } from '../../lib/api.ts'
import { useSession } from '../../lib/session.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { CodeInput } from '../../ui/code-input.tsx'
import { Loaded } from '../../ui/form/record-page.tsx'
import { useNotify } from '../../ui/notices.tsx'
import { authenticatorLink, spaced } from './authenticator-link.ts'
import { QrCode } from './qr-code.tsx'

const Steps = styled('ol')({
  margin: '0 0 16px',
  paddingLeft: 18,
  '& > li': { paddingBottom: 12 },
  '& > li > *': { marginTop: 8, display: 'block' },
})
const Secret = styled('code')({
  fontFamily: 'var(--font-mono)',
  fontSize: 12,
  userSelect: 'all',
  overflowWrap: 'anywhere',
})
const Form = styled('form')({ maxWidth: 320 })
const Buttons = styled('div')({ display: 'flex', justifyContent: 'flex-end', gap: 8, marginTop: 12 })

const codeInput = z.object({ code: mfaCode })

/** Connects an authenticator app to the account: shows a new secret, which takes effect after a code from it was verified. */
export const AuthenticatorSetup = ({ onDone, onCancel }: { onDone: () => void; onCancel: () => void }) => {
  // A new secret invalidates the previous one, so it is requested once each time this opens.
  const attempt = useId()
  const query = useQuery({
    queryKey: ['new-authenticator', attempt],
    queryFn: async () => identity.newAuthenticator(await freshAccessToken()),
    // Not even when all queries are invalidated, as after any save: the code has been scanned by then.
    staleTime: 'static',
    gcTime: 0,
    refetchOnReconnect: false,
  })
  return (
    <Loaded query={query}>{(secret) => <ConfirmSecret secret={secret} onDone={onDone} onCancel={onCancel} />}</Loaded>
  )
}

interface ConfirmSecretProps {
  secret: string
  onDone: () => void
  onCancel: () => void
}

const ConfirmSecret = ({ secret, onDone, onCancel }: ConfirmSecretProps) => {
  const userName = useSession()?.access.userName ?? ''
  const form = useForm({ resolver: zodResolver(codeInput), defaultValues: { code: '' } })
  const [isBusy, setBusy] = useState(false)
  const notify = useNotify()
  const confirm = async ({ code }: { code: string }) => {
    if (isBusy) return
    setBusy(true)
    try {
      const accessToken = await freshAccessToken()
      await identity.verifyAuthenticator(accessToken, code)
      await identity.chooseFactor(accessToken, 'SOFTWARE_TOKEN_MFA')
      notify.info('The authenticator app is set up')
      onDone()
    } catch (error) {
      const message = error instanceof Error ? error.message : ''
      form.setError('code', { message })
      form.setFocus('code')
      notify.warning(message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Form noValidate onSubmit={form.handleSubmit(confirm)}>
      <Steps>
        <li>
          Scan this with your authenticator app:
          <QrCode text={authenticatorLink(userName, secret)} label="QR code for your authenticator app" />
        </li>
        <li>
          Or type this key into it:
          <Secret>{spaced(secret)}</Secret>
        </li>
        <li>Enter the code that the app shows:</li>
      </Steps>
      <Controller
        control={form.control}
        name="code"
        render={({ field: { ref, value, onChange }, fieldState: { error } }) => (
          <CodeInput
            label="Authentication code"
            ref={ref}
            value={value}
            onChange={onChange}
            error={error?.message}
            autoFocus
          />
        )}
      />
      <Buttons>
        <Button onClick={onCancel}>Cancel</Button>
        <ActionButton type="submit" variant="contained" color="primary" isBusy={isBusy}>
          Confirm
        </ActionButton>
      </Buttons>
    </Form>
  )
}
