//! Certificates of both sides.

use super::*;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::RootCertStore;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use std::sync::Arc;

/// Who signs, and the certificate and the key of one name.
struct Signed {
    root: String,
    root_der: CertificateDer<'static>,
    pem: String,
    der: CertificateDer<'static>,
    key: KeyPair,
}

fn signed(name: &str) -> Signed {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let root = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(vec![name.to_owned()]).unwrap().signed_by(&key, &root).unwrap();
    Signed {
        root: root.pem(),
        root_der: root.der().clone(),
        pem: certificate.pem(),
        der: certificate.der().clone(),
        key,
    }
}

fn server(of: &Signed, client: Option<&Signed>) -> Server {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ServerConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .unwrap();
    let builder = match client {
        None => builder.with_no_client_auth(),
        Some(client) => {
            let mut roots = RootCertStore::empty();
            roots.add(client.root_der.clone()).unwrap();
            let verifier =
                WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build().unwrap();
            builder.with_client_cert_verifier(verifier)
        }
    };
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(of.key.serialize_der()));
    let config = builder.with_single_cert(vec![of.der.clone()], key).unwrap();
    let server = Server::start_with(Some(Arc::new(config)));
    server.add("a", schema(r#"syntax = "proto3"; message A {}"#, &[]));
    server
}

#[test]
fn a_registry_shows_a_certificate_that_someone_known_signed() {
    let known = signed("localhost");
    let server = server(&known, None);
    let subjects = |builder: RegistryBuilder| builder.build().unwrap().subjects();
    assert_eq!(subjects(quick(&server).root_certificates(known.root.as_str())).unwrap(), ["a"]);
    // Nobody that Mozilla knows signed it, nor did another one.
    for error in [
        subjects(quick(&server)).unwrap_err(),
        subjects(quick(&server).root_certificates(signed("localhost").root)).unwrap_err(),
    ] {
        assert!(matches!(error.kind(), RegistryErrorKind::Unreachable(_)), "{error}");
    }
}

#[test]
fn a_registry_asks_who_asks() {
    let (known, client) = (signed("localhost"), signed("client"));
    let server = server(&known, Some(&client));
    let builder = || quick(&server).root_certificates(known.root.as_str());
    let registry =
        builder().client_certificate(client.pem.as_str(), client.key.serialize_pem()).build().unwrap();
    assert_eq!(registry.subjects().unwrap(), ["a"]);
    assert!(builder().build().unwrap().subjects().is_err());
    let stranger = signed("client");
    let registry =
        builder().client_certificate(stranger.pem.as_str(), stranger.key.serialize_pem()).build().unwrap();
    assert!(registry.subjects().is_err());
}

#[test]
fn certificates_that_are_none() {
    let (server, known) = (Server::start(), signed("localhost"));
    let key = known.key.serialize_pem();
    for builder in [
        quick(&server).root_certificates("no certificate"),
        quick(&server).root_certificates(key.as_str()),
        quick(&server).client_certificate(known.pem.as_str(), "no key"),
        quick(&server).client_certificate("", key.as_str()),
    ] {
        let error = builder.build().unwrap_err();
        assert!(matches!(error.kind(), RegistryErrorKind::Configuration(_)), "{error}");
    }
}
