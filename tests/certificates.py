"""Certificates made for one test: a chain of two, whose keys nobody keeps."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

PEM, PKCS8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8


def make_certificate(host: str = "localhost") -> tuple[bytes, bytes]:
    """A chain in PEM, good for https of `host` and for Content Credentials, and its key."""
    authority, signer = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    chain = _certificate(host, signer, authority, False) + _certificate("authority", authority, authority, True)
    return chain, signer.private_bytes(PEM, PKCS8, serialization.NoEncryption())


def behind_a_password(key: bytes) -> bytes:
    """The same key, which can be read only with a password."""
    found = serialization.load_pem_private_key(key, None)
    return found.private_bytes(PEM, PKCS8, serialization.BestAvailableEncryption(b"chalk"))


def _certificate(
    host: str, owner: ec.EllipticCurvePrivateKey, authority: ec.EllipticCurvePrivateKey, is_authority: bool
) -> bytes:
    now = datetime.now(UTC)
    usage = x509.KeyUsage(
        digital_signature=not is_authority, content_commitment=False, key_encipherment=False, data_encipherment=False,
        key_agreement=False, key_cert_sign=is_authority, crl_sign=is_authority, encipher_only=False,
        decipher_only=False,
    )  # fmt: skip
    builder = (
        x509.CertificateBuilder()
        .subject_name(_name(host))
        .issuer_name(_name("authority"))
        .public_key(owner.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(is_authority, None), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(owner.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.public_key()), critical=False)
    )
    if not is_authority:
        uses = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.EMAIL_PROTECTION]
        builder = builder.add_extension(x509.ExtendedKeyUsage(uses), critical=False)
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
    return builder.sign(authority, hashes.SHA256()).public_bytes(PEM)


def _name(common: str) -> x509.Name:
    parts = {NameOID.ORGANIZATION_NAME: "A test", NameOID.COMMON_NAME: common}
    return x509.Name([x509.NameAttribute(kind, value) for kind, value in parts.items()])
