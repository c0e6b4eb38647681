"""Calls the Transit routes with hvac. VAULT_ADDR and VAULT_TOKEN are the service's address and an API key."""

import base64
import os
import uuid

import hvac

client = hvac.Client(url=os.environ["VAULT_ADDR"], token=os.environ["VAULT_TOKEN"])
transit = client.secrets.transit
name = f"key {uuid.uuid4()}"
text = base64.b64encode(b"hello").decode()

assert client.is_authenticated()
for _ in range(2):
    transit.create_key(name=name, key_type="aes256-gcm96")
assert transit.read_key(name=name)["data"]["name"] == name

ciphertext = transit.encrypt_data(name=name, plaintext=text)["data"]["ciphertext"]
transit.rotate_key(name=name)
rewrapped = transit.rewrap_data(name=name, ciphertext=ciphertext)["data"]["ciphertext"]
assert rewrapped.startswith("vault:v2:")
for each in (ciphertext, rewrapped):
    assert transit.decrypt_data(name=name, ciphertext=each)["data"]["plaintext"] == text

batch = [{"plaintext": text}, {"plaintext": text}]
sealed = transit.encrypt_data(name=name, plaintext=None, batch_input=batch)["data"]["batch_results"]
items = [{"ciphertext": each["ciphertext"]} for each in sealed]
assert transit.decrypt_data(name=name, ciphertext=None, batch_input=items)["data"]["batch_results"] == batch

data_key = transit.generate_data_key(name=name, key_type="plaintext", bits=128)["data"]
opened = transit.decrypt_data(name=name, ciphertext=data_key["ciphertext"])["data"]
assert opened["plaintext"] == data_key["plaintext"]

try:
    transit.encrypt_data(name=name, plaintext=text, context=text)
    raise AssertionError("encrypt accepted a context, which is not supported")
except hvac.exceptions.InvalidRequest as error:
    assert "context is not supported" in str(error)
try:
    transit.encrypt_data(name="nobody's", plaintext=text)
    raise AssertionError("encrypt accepted a name that no key has")
except hvac.exceptions.InvalidPath as error:
    assert "encryption key not found" in str(error)
try:
    hvac.Client(url=os.environ["VAULT_ADDR"], token="s.stranger").auth.token.lookup_self()
    raise AssertionError("lookup_self accepted an invalid token")
except hvac.exceptions.Forbidden as error:
    assert "unauthorized" in str(error)

print("done")
